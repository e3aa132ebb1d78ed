"use strict";

/**
 * Respondents choose a language before they begin. The form starts in the language of their browser, if it is available.
 * The page is stored once. Each additional language has only its texts, in the order of the first language. A text is empty if it is the
 * same as in the first language, and a number if an earlier text is repeated. The codes of answers are the same in all languages.
 *
 * languages: code -> { title, direction, page } and the texts of form.js
 * current: { language, fresh } of the chosen language, as in form.js
 * restart: shows the page of current
 */
function chooseLanguage(element, languages, current, restart) {
  const root = document.documentElement;
  const main = current.fresh();
  const footer = document.querySelector("footer").cloneNode(true);

  // The texts of a part of the page, except for browsers without JavaScript.
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
    if (introduction) introduction.hidden = !introduction.textContent.trim(); // some languages have none
    return page;
  }

  const buttons = Array.from(element("languages").querySelectorAll("button"));

  function choose(code) {
    const language = languages[code];
    const page = pageIn(language);
    const invitation = element("code") ? element("code").value : "";
    root.lang = code;
    root.dir = language.direction;
    document.title = document.querySelector("h1").textContent = language.title;
    document.querySelector("footer").replaceWith(page.footer);
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.lang === code));
    current.language = language;
    current.fresh = () => page.main.cloneNode(true);
    restart();
    if (invitation) element("code").value = invitation;
  }

  for (const button of buttons) button.addEventListener("click", () => choose(button.lang));
  const wanted = (navigator.languages || [navigator.language]).map((each) => each.toLowerCase().split("-")[0]);
  choose(wanted.find((each) => languages[each]) || root.lang);
}
