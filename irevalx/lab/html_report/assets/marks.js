/** Grades that the reader gives to unjudged documents. They are kept apart from the judgments of the report. */

import { data, depth } from "./data.js";
import { button, byId, counted, html, nameOf } from "./elements.js";
import { copyButton, saveAs } from "./saving.js";

const FILE = "marks.qrels";
const MOST_GRADES = 8;
const NOT_STORED = "The browser does not store the marks: save them before you close the page.";
const KEY = `irevalx marks ${byId("data").dataset.digest}`;

/** The grades of a topic, by the ID of the document. @typedef {Map<string, number>} Marks */

/** By topic. @type {Map<number, Marks>} */
export const allMarks = new Map();
let isKept = true;

/** Use the storage of the browser, which a page within a notebook may not do. @param {() => void} use */
function withStorage(use) {
  try {
    use();
  } catch {
    isKept = false;
  }
}

withStorage(() => {
  /** @type {[number, [string, number][]][]} */
  const stored = JSON.parse(localStorage.getItem(KEY) ?? "[]");
  for (const [topic, grades] of stored) allMarks.set(topic, new Map(grades));
});

/** @type {WeakRef<Element>[]} */
const views = [];

/**
 * Draw a part of the page now, and again whenever a mark changes.
 *
 * @template {Element} Part
 * @param {Part} element
 * @param {() => void} show
 */
export function whenMarked(element, show) {
  element.addEventListener("marks", show);
  views.push(new WeakRef(element));
  show();
  return element;
}

function storeMarks() {
  withStorage(() =>
    localStorage.setItem(KEY, JSON.stringify([...allMarks].map(([topic, grades]) => [topic, [...grades]]))),
  );
  for (const view of views) view.deref()?.dispatchEvent(new Event("marks"));
}

/** @param {number} topic @returns {Marks} */
export function marksOf(topic) {
  return allMarks.get(topic) ?? new Map();
}

/** @param {number} topic @param {string} id @param {number} grade  the mark; the same one again removes it */
function toggleMark(topic, id, grade) {
  const grades = new Map(marksOf(topic));
  if (grades.get(id) === grade) grades.delete(id);
  else grades.set(id, grade);
  allMarks.set(topic, grades);
  if (!grades.size) allMarks.delete(topic);
  storeMarks();
}

/** The grades that a reader can give: those of the judgments; of many, the lowest ones. */
const { grades: known, level: relevant } = data.about;
const toGive = [...new Set([0, relevant ?? 1, ...(known ?? []).slice(0, MOST_GRADES)])].sort((a, b) => a - b);

/** Buttons that mark an unjudged document with a grade; null for a judged document. @param {number} topic @param {import("./rankings.js").Document} document */
export function markButtons(topic, { id, grade }) {
  if (grade !== null) return null;
  const buttons = toGive.map((each) =>
    button(
      { class: "mark", "aria-label": `mark ${nameOf(id)} with grade ${each}` },
      () => toggleMark(topic, id, each),
      each,
    ),
  );
  return whenMarked(html("span", { class: "marks", "data-part": "mark" }, ...buttons), () => {
    const mark = marksOf(topic).get(id);
    buttons.forEach((each, place) => each.setAttribute("aria-pressed", String(toGive[place] === mark)));
  });
}

/** The marks as lines of a QRELS file. IDs have the bytes of the files, also where these are no text. */
function qrelsLines() {
  const lines = [...allMarks].flatMap(([topic, grades]) =>
    [...grades].map(([id, grade]) => `${data.topics[topic].id} 0 ${id} ${grade}\n`),
  );
  const parts = lines.join("").split(/([\udc80-\udcff])/u);
  return parts.map((part, place) => (place % 2 ? new Uint8Array([part.charCodeAt(0) & 0xff]) : part));
}

/** The commands that evaluate with the saved marks. */
function commands() {
  const { qrels, run_files: files, options } = data.about;
  const pathOf = (/** @type {string | null} */ path, /** @type {string} */ otherwise) => {
    if (path === null || path === "-") return otherwise;
    return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
  };
  const runs = files.map(({ path }) => pathOf(path, "RUN")).join(" ") || "RUN...";
  const format = options.filter((option) => option.startsWith("--rel-format"));
  const complete = ["irevalx-lab complete", pathOf(qrels.path, "QRELS"), runs, ...format, "--labels", FILE];
  const report = options.filter((option) => !format.includes(option));
  return [
    [...complete, `--labels-format qrels --depth ${depth} -o judged.qrels`].join(" "),
    ["irevalx-lab report judged.qrels", runs, ...report, "-o report.html"].join(" "),
  ].join("\n");
}

/** A button that saves all marks, and how to evaluate with them; empty without marks. */
export function savingMarks() {
  const part = html("div", { class: "saving-marks" });
  const save = button({ class: "plain" }, () => saveAs(new Blob(qrelsLines()), FILE));
  return whenMarked(part, () => {
    part.hidden = !allMarks.size;
    const number = [...allMarks.values()].reduce((sum, { size }) => sum + size, 0);
    save.replaceChildren(`Save ${counted(number, "mark")} of ${counted(allMarks.size, "topic")} as ${FILE}`);
    part.replaceChildren(
      html("p", { class: "save" }, save),
      html("p", { class: isKept ? "note" : "careful" }, isKept ? "The browser stores the marks." : NOT_STORED),
      html("p", { class: "note" }, `These commands add ${FILE} to the judgments and evaluate the runs again:`),
      html("pre", {}, html("code", {}, commands())),
      html("div", { class: "tools" }, copyButton("Copy commands", "copy the commands", commands)),
    );
  });
}
