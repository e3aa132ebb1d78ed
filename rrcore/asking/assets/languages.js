"use strict";

/**
 * The languages of a form: respondents choose one before they begin, and it begins in that of their browser, if it is among them.
 * Each is a template with all that is shown; answers are the same category numbers in all of them.
 *
 * said: language -> what form.js says in it
 * spoken: what is used of the chosen one: { said, fresh } as in form.js
 * restart: begins anew with the page of spoken
 */
function chooseLanguage(element, said, spoken, restart) {
  const root = document.documentElement;
  const main = spoken.fresh();
  const pages = { [root.lang]: { direction: root.dir || "ltr", title: document.title, main, footer: document.querySelector("footer").cloneNode(true) } };
  for (const { dataset, content } of document.querySelectorAll("template[data-language]")) {
    const [title, own, footer] = ["h1", "main", "footer"].map((name) => content.querySelector(name));
    pages[dataset.language] = { direction: dataset.direction, title: title.textContent, main: own, footer };
  }
  const buttons = Array.from(element("languages").querySelectorAll("button"));

  function speak(language) {
    const page = pages[language];
    const code = element("code") ? element("code").value : "";
    root.lang = language;
    root.dir = page.direction;
    document.title = document.querySelector("h1").textContent = page.title;
    document.querySelector("footer").replaceWith(page.footer.cloneNode(true));
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.lang === language));
    spoken.said = said[language];
    spoken.fresh = () => page.main.cloneNode(true);
    restart();
    if (code) element("code").value = code;
  }

  for (const button of buttons) button.addEventListener("click", () => speak(button.lang));
  const wanted = (navigator.languages || [navigator.language]).map((each) => each.toLowerCase().split("-")[0]);
  speak(wanted.find((each) => pages[each]) || root.lang);
}
