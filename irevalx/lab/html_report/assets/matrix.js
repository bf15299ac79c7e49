/** The matrix of all pairs: which differences are significant under a measure. */

import { data, favours, pairOf, ranked } from "./data.js";
import { byId, html, nameOf, shortName } from "./elements.js";
import { written } from "./numbers.js";
import { change, state, watch } from "./state.js";
import { scrolling } from "./tables.js";

/** @param {number} measure @param {number} run @param {number} other */
function cellOf(measure, run, other) {
  const pair = run === other ? null : pairOf(measure, run, other);
  if (!pair || pair.difference === null) return html("td");
  const sign = pair.differ ? favours(measure, pair.difference) : 0;
  const [className, text] = sign > 0 ? ["gain", "▲"] : sign < 0 ? ["loss", "▼"] : ["muted", "·"];
  const names = [run, other].map((each) => nameOf(data.runs[each].short)).join(" minus ");
  const title = `${names}: ${written(pair.difference, { signed: true })}`;
  return html("td", { class: className, title, "data-pair": `${run} ${other}` }, text);
}

/** @param {number} measure */
function matrixOf(measure) {
  const order = ranked(measure);
  const title = `Significant differences in ${nameOf(data.measures[measure].title)}`;
  const table = html(
    "table",
    { class: "matrix" },
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
  table.addEventListener("click", (event) => {
    const pair = /** @type {Element} */ (event.target).closest("[data-pair]")?.getAttribute("data-pair");
    if (pair) change({ runs: pair.split(" ").map(Number), at: "pair" });
  });
  return [
    scrolling(table, title),
    html(
      "p",
      { class: "note" },
      "▲ the run of the row is significantly better than the run of the column, ▼ significantly worse, · not " +
        "significantly different. Runs are in order of their means. Click a cell to compare the two runs.",
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
  watch(["measure"], draw);
}
