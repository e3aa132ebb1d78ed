"use strict";

/**
 * The languages of a form: respondents choose one before they begin, and it begins in that of their browser, if it is among them.
 * The page is there once. Of each further language there are the texts, in the order of the first ones: empty where both are the same, and
 * the position of an earlier text where it is that one once more. Answers are the same category numbers in all of them.
 *
 * said: language -> { title, direction, page } and what form.js says in it
 * spoken: what is used of the chosen one: { said, fresh } as in form.js
 * restart: begins anew with the page of spoken
 */
function chooseLanguage(element, said, spoken, restart) {
  const root = document.documentElement;
  const main = spoken.fresh();
  const footer = document.querySelector("footer").cloneNode(true);

  // The texts of a part of the page, without those for browsers that run no script.
  function textsOf(part) {
    const found = [];
    const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT, null, false);
    while (walker.nextNode()) found.push(walker.currentNode);
    return found.filter((text) => /[^ \n\r\t\f]/.test(text.data) && text.parentNode.tagName !== "NOSCRIPT");
  }

  function pageIn({ page: texts = [] }) {
    const page = { main: main.cloneNode(true), footer: footer.cloneNode(true) };
    const first = textsOf(page.main).concat(textsOf(page.footer));
    texts.forEach((text, i) => {
      const own = typeof text === "number" ? texts[text] : text;
      if (own) first[i].data = own;
    });
    const introduction = page.main.querySelector(".introduction");
    if (introduction) introduction.hidden = !introduction.textContent.trim(); // in some languages there is none
    return page;
  }

  const buttons = Array.from(element("languages").querySelectorAll("button"));

  function speak(language) {
    const page = pageIn(said[language]);
    const code = element("code") ? element("code").value : "";
    root.lang = language;
    root.dir = said[language].direction;
    document.title = document.querySelector("h1").textContent = said[language].title;
    document.querySelector("footer").replaceWith(page.footer);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.lang === language));
    spoken.said = said[language];
    spoken.fresh = () => page.main.cloneNode(true);
    restart();
    if (code) element("code").value = code;
  }

  for (const button of buttons) button.addEventListener("click", () => speak(button.lang));
  const wanted = (navigator.languages || [navigator.language]).map((each) => each.toLowerCase().split("-")[0]);
  speak(wanted.find((each) => said[each]) || root.lang);
}
