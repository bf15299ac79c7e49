/** The matrix of all pairs: which differences are significant under a measure. */

import { CAUTION, cautionNote, cautionOf } from "./cautions.js";
import { data, favours, pairOf, ranked } from "./data.js";
import { button, byId, html, nameOf, shortName } from "./elements.js";
import { chosenRuns } from "./filters.js";
import { written } from "./numbers.js";
import { change, state, watch } from "./state.js";
import { scrolling } from "./tables.js";
import { showUnjudged } from "./unjudged.js";

/** @param {number} measure @param {number} run @param {number} other */
function cellOf(measure, run, other) {
  const pair = run === other ? null : pairOf(measure, run, other);
  if (!pair || pair.difference === null) return html("td");
  const sign = pair.differ ? favours(measure, pair.difference) : 0;
  const [className, text, verdict] =
    sign > 0
      ? ["gain", "▲", "significantly better"]
      : sign < 0
        ? ["loss", "▼", "significantly worse"]
        : ["muted", "·", pair.p === null ? "not tested" : "not significantly different"];
  const names = [run, other].map((each) => nameOf(data.runs[each].short));
  const caution = cautionOf(pair, names);
  const title = `${names.join(" minus ")}: ${written(pair.difference, { signed: true })}, ${verdict}${caution && `; ${caution}`}`;
  const open = () => {
    change({ runs: [run, other], at: caution ? "unjudged" : "pair" });
    if (caution) showUnjudged();
    else byId("pair-heading").focus();
  };
  return html(
    "td",
    { class: className },
    button({ class: "cell", title, "aria-label": title, tabindex: -1 }, open, text + (caution && CAUTION)),
  );
}

/** The change of row and column by key. @type {Record<string, number[]>} */
const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** Make the Tab key stop at one cell, from which the arrow keys move to the others. @param {HTMLTableElement} table */
function moveByArrows(table) {
  const { rows } = table.tBodies[0];
  const buttonAt = (/** @type {number} */ row, /** @type {number} */ column) =>
    rows[row].cells[column].querySelector("button");
  let current = table.querySelector("button");
  if (current) current.tabIndex = 0;
  table.addEventListener("focusin", ({ target }) => {
    if (current) current.tabIndex = -1;
    current = /** @type {HTMLButtonElement} */ (target);
    current.tabIndex = 0;
  });
  table.addEventListener("keydown", (event) => {
    const cell = /** @type {Element} */ (event.target).closest("td");
    const step = STEPS[event.key];
    if (!cell || !step) return;
    event.preventDefault();
    let [row, column] = [[...rows].findIndex((each) => each.contains(cell)) + step[0], cell.cellIndex + step[1]];
    // The diagonal has no buttons.
    while (rows[row] && column > 0 && column <= rows.length && !buttonAt(row, column)) {
      row += step[0];
      column += step[1];
    }
    if (rows[row] && column > 0 && column <= rows.length) buttonAt(row, column)?.focus();
  });
}

/** @param {number} measure */
function matrixOf(measure) {
  const order = ranked(measure).filter((run) => chosenRuns().includes(run));
  const title = `Significant differences in ${nameOf(data.measures[measure].title)}`;
  const table = html(
    "table",
    { class: "matrix", role: "grid" },
    html("caption", {}, title),
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        html("th", { scope: "col" }, "Run"),
        ...order.map((run, place) => html("th", { scope: "col", title: nameOf(data.runs[run].short) }, place + 1)),
      ),
    ),
    html(
      "tbody",
      {},
      ...order.map((run, place) =>
        html(
          "tr",
          {},
          html("th", { scope: "row" }, `${place + 1} `, shortName(data.runs[run])),
          ...order.map((other) => cellOf(measure, run, other)),
        ),
      ),
    ),
  );
  moveByArrows(table);
  return [
    scrolling(table, title),
    html(
      "p",
      { class: "note" },
      "▲ the run of the row is significantly better than the run of the column, ▼ significantly worse, · not " +
        `significantly different.${cautionNote} Runs are in order of their means.`,
      html(
        "span",
        { class: "by-hand" },
        " Click a cell to compare the two runs. The arrow keys move between cells, and Enter compares the two runs." +
          (cautionNote && ` A cell with ${CAUTION} opens the list of their unjudged documents.`),
      ),
    ),
  ];
}

const FEWEST_RUNS = 3;

export function startMatrix() {
  if (data.letters === null || data.runs.length < FEWEST_RUNS) return;
  const body = html("div");
  const details = html("details", {}, html("summary", {}, "All pairs of runs (matrix)"), body);
  const draw = () => {
    const { measure } = state();
    const isTested = data.measures[measure].is_tested;
    body.replaceChildren(
      ...(!details.open ? [] : isTested ? matrixOf(measure) : ["Runs are not tested under this measure."]),
    );
  };
  details.addEventListener("toggle", draw);
  byId("matrix-body").append(details);
  watch(["measure", "names", "factor"], draw);
}
