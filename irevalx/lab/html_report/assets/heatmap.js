/** A heatmap of the values of all runs for all topics. */

import { clustered } from "./clustering.js";
import { data, ranked, valuesOf } from "./data.js";
import { html, nameOf, shortName } from "./elements.js";
import { written } from "./numbers.js";
import { part } from "./pictures.js";
import { change, state } from "./state.js";

/** With more topics, clustering would take seconds, and topics are in the order of their means. */
const MOST_CLUSTERED = 1000;
const LEAST_LABELLED = 12; // pixels of a row

/** @param {(number | null)[]} values */
export function meanOfValues(values) {
  const found = values.filter((value) => value !== null);
  return found.length ? found.reduce((sum, value) => sum + value, 0) / found.length : null;
}

/** The runs and topics in the order of the heatmap. @param {number[]} runs @param {number[]} topics */
function orders(runs, topics) {
  const { measure, heat } = state();
  const column = (/** @type {number} */ topic) => runs.map((run) => valuesOf(measure, run)[topic]);
  const means = new Map(topics.map((topic) => [topic, meanOfValues(column(topic)) ?? -Infinity]));
  const byMean = [...topics].sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0) || a - b);
  if (heat === "mean") return { rows: runs, columns: byMean };
  const rows = clustered(runs.map((run) => topics.map((topic) => valuesOf(measure, run)[topic] ?? 0))).reverse();
  const columns =
    topics.length > MOST_CLUSTERED ? null : clustered(topics.map((topic) => column(topic).map((value) => value ?? 0)));
  return { rows: rows.map((row) => runs[row]), columns: columns?.map((place) => topics[place]) ?? byMean };
}

/** @param {number[]} rows @param {number[]} columns */
function drawn(rows, columns) {
  const { measure } = state();
  const canvas = html("canvas", { width: columns.length, height: rows.length, "aria-hidden": "true" });
  const all = rows.flatMap((run) => columns.map((topic) => valuesOf(measure, run)[topic] ?? 0));
  const from = data.measures[measure].low ?? all.reduce((least, value) => Math.min(least, value), 0);
  const to = data.measures[measure].high ?? all.reduce((most, value) => Math.max(most, value), 0);
  const pixels = new ImageData(columns.length, rows.length);
  // One colour, of which the value is the opacity: it can be read on light and on dark paper.
  all.forEach((value, place) => pixels.data.set([47, 128, 190, 2.55 * part(value, from, to)], 4 * place));
  canvas.getContext("2d")?.putImageData(pixels, 0, 0);
  return { canvas, from, to };
}

/** The change of row and column by key. @type {Record<string, number[]>} */
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @param {number[]} chosen runs @param {number[]} topics */
export function heatmap(chosen, topics) {
  const { measure } = state();
  const { rows, columns } = orders(
    ranked(measure).filter((run) => chosen.includes(run)),
    topics,
  );
  const { canvas, from, to } = drawn(rows, columns);
  const height = rows.length <= 40 ? 16 : rows.length <= 80 ? 12 : 5;
  const name = nameOf(data.measures[measure].title);
  const said = html("output", { class: "cell-value" }, "Point at a cell, or use the arrow keys.");
  const cursor = html("span", { class: "cursor", hidden: true });
  let at = [0, 0];
  const show = (/** @type {number} */ row, /** @type {number} */ column) => {
    at = [Math.min(Math.max(row, 0), rows.length - 1), Math.min(Math.max(column, 0), columns.length - 1)];
    const [run, topic] = [rows[at[0]], columns[at[1]]];
    cursor.hidden = false;
    const box = {
      top: at[0] / rows.length,
      left: at[1] / columns.length,
      height: 1 / rows.length,
      width: 1 / columns.length,
    };
    for (const [side, share] of Object.entries(box)) cursor.style.setProperty(side, `${100 * share}%`);
    said.textContent = `Topic ${nameOf(data.topics[topic].id)}, ${nameOf(data.runs[run].short)}: ${written(valuesOf(measure, run)[topic])}`;
  };
  const open = () => change({ topic: columns[at[1]], document: null });
  const plot = html(
    "div",
    {
      class: "heat",
      tabindex: 0,
      role: "application",
      "aria-label": `Heatmap of ${name}: ${rows.length} runs by ${columns.length} topics. Arrow keys move between cells; Enter opens the topic.`,
    },
    canvas,
    cursor,
  );
  plot.style.setProperty("height", `${rows.length * height}px`);
  const under = (/** @type {MouseEvent} */ { clientX, clientY }) => {
    const box = plot.getBoundingClientRect();
    show(
      Math.floor(((clientY - box.top) / box.height) * rows.length),
      Math.floor(((clientX - box.left) / box.width) * columns.length),
    );
  };
  plot.addEventListener("pointermove", under);
  plot.addEventListener("click", (event) => {
    under(event);
    open();
  });
  plot.addEventListener("keydown", (event) => {
    const move = MOVES[event.key];
    if (move) show(at[0] + (cursor.hidden ? 0 : move[0]), at[1] + (cursor.hidden ? 0 : move[1]));
    else if (event.key === "Enter" && !cursor.hidden) open();
    if (move || event.key === "Enter") event.preventDefault();
  });
  const labels = rows.map((run) => html("div", {}, shortName(data.runs[run])));
  for (const label of labels) label.style.setProperty("height", `${height}px`);
  const order = html(
    "select",
    { id: "heat-order" },
    html("option", { value: "", selected: state().heat !== "mean" }, "similarity (clusters)"),
    html("option", { value: "mean", selected: state().heat === "mean" }, "mean"),
  );
  order.addEventListener("change", () => {
    change({ heat: order.value });
    document.getElementById("heat-order")?.focus();
  });
  const isByMean = state().heat !== "mean" && columns.length > MOST_CLUSTERED;
  return html(
    "figure",
    { class: "part" },
    html("figcaption", {}, `${name} of each run (rows) for each topic (columns)`),
    html("div", { class: "choices" }, html("label", { class: "field" }, html("span", {}, "Order"), order)),
    html(
      "div",
      { class: "heatmap" },
      height >= LEAST_LABELLED && html("div", { class: "heat-labels", "aria-hidden": "true" }, ...labels),
      plot,
    ),
    html(
      "p",
      { class: "note" },
      said,
      ` No colour: ${written(from, { decimals: 0 })}; full colour: ${written(to, { decimals: to > 1 ? 2 : 0 })}.`,
      html("span", { class: "by-hand" }, " Click a cell to open the topic."),
      isByMean && ` More than ${MOST_CLUSTERED} topics are in the order of their means.`,
    ),
  );
}
