"use strict";

const lessonData = JSON.parse(document.getElementById("data").textContent);
const lessonShell = new Shell(chapters, lessonData);
