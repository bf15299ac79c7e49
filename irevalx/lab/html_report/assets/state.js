/** What the reader has chosen. It stands in the address behind `#`, so that a link shows what its sender saw. */

import { data, ranked } from "./data.js";
import { html } from "./elements.js";

/**
 * @typedef {object} State
 * @property {number} measure  the measure of the pair and of the topics
 * @property {number[]} runs  the runs chosen, in order; the first two are set against each other
 * @property {number | null} topic  the topic that is open
 * @property {string | null} document  the document that is open
 * @property {string} sort  the runs: by a measure, "run" or "judged", then " up" or " down"
 * @property {string} order  the topics: by a column of their table, likewise
 * @property {number | null} group  a group of topics
 * @property {string} find  text that the topics have to have
 * @property {string} names  text that the names of the listed runs have to have
 * @property {string[]} factor  values that the listed runs have to have, such as "k1=0.9"
 * @property {string} heat  the order of the heatmap: "" for clusters, or "mean"
 * @property {string} hard  the order of the hard topics, such as "mean up"
 * @property {string[]} show  what stands beside the means: "interval", "skip", "rel"
 * @property {string} mark  the run that the marks refer to: "" for the best one of each column, "selected" for the first selected
 * @property {number | null} detail  the run with open details
 * @property {string} at  the part of the page to look at
 */

/** @type {State} */
const atStart = {
  measure: 0,
  runs: runsAtStart(),
  topic: null,
  document: null,
  sort: "",
  order: "contrast down",
  group: null,
  find: "",
  names: "",
  factor: [],
  heat: "",
  hard: "",
  show: [],
  mark: "",
  detail: null,
  at: "",
};

/** The runs of the main result, or else the two best. */
function runsAtStart() {
  return data.about.main_pair ?? (data.measures.length ? ranked(0).slice(0, 2) : []);
}

/**
 * A name as an address can have it: bytes of a file that are no text become a sign for what is missing.
 *
 * @param {string} name
 */
export function addressed(name) {
  return name.toWellFormed();
}

/**
 * @param {{ name?: string, id?: string }[]} list
 * @param {string | null} name
 */
function indexOf(list, name) {
  const index = list.findIndex((each) => addressed(each.name ?? each.id ?? "") === name);
  return index < 0 ? null : index;
}

/** @param {string} address what stands behind `#` @returns {State} */
export function stateOf(address) {
  const fields = new URLSearchParams(address);
  const runs = fields.getAll("run").map((name) => indexOf(data.runs, name));
  return {
    measure: indexOf(data.measures, fields.get("measure")) ?? atStart.measure,
    runs: fields.has("run") ? [...new Set(runs.filter((run) => run !== null))] : atStart.runs,
    topic: indexOf(data.topics, fields.get("topic")),
    document: fields.get("document"),
    sort: fields.get("sort") ?? atStart.sort,
    order: fields.get("order") ?? atStart.order,
    group: indexOf(data.groups, fields.get("group")),
    find: fields.get("find") ?? "",
    names: fields.get("names") ?? "",
    factor: fields.getAll("factor"),
    heat: fields.get("heat") ?? "",
    hard: fields.get("hard") ?? "",
    show: fields.getAll("show"),
    mark: fields.get("mark") ?? "",
    detail: indexOf(data.runs, fields.get("detail")),
    at: fields.get("at") ?? "",
  };
}

const TEXTS = ["find", "names", "heat", "hard", "mark"];

/** @param {State} chosen */
export function addressOf(chosen) {
  const fields = new URLSearchParams();
  if (chosen.measure !== atStart.measure) fields.set("measure", data.measures[chosen.measure].name);
  if (chosen.runs.join() !== atStart.runs.join()) {
    for (const run of chosen.runs) fields.append("run", data.runs[run].name);
    if (!chosen.runs.length) fields.append("run", "");
  }
  if (chosen.topic !== null) fields.set("topic", data.topics[chosen.topic].id);
  if (chosen.document !== null) fields.set("document", chosen.document);
  for (const key of /** @type {("sort" | "order")[]} */ (["sort", "order"])) {
    if (chosen[key] !== atStart[key]) fields.set(key, chosen[key]);
  }
  if (chosen.group !== null) fields.set("group", data.groups[chosen.group].name);
  for (const key of /** @type {("find" | "names" | "heat" | "hard" | "mark")[]} */ (TEXTS)) {
    if (chosen[key]) fields.set(key, chosen[key]);
  }
  for (const key of /** @type {("factor" | "show")[]} */ (["factor", "show"])) {
    for (const each of chosen[key]) fields.append(key, each);
  }
  if (chosen.detail !== null) fields.set("detail", data.runs[chosen.detail].name);
  if (chosen.at) fields.set("at", chosen.at);
  return `#${fields}`;
}

let current = stateOf(location.hash.slice(1));

export function state() {
  return current;
}

/**
 * A link to the page with something else chosen: a press changes it, and its address can be copied.
 *
 * @param {Partial<State>} changes
 * @param {...import("./elements.js").Child} children
 */
export function link(changes, ...children) {
  const element = html("a", {}, ...children);
  const address = () => {
    element.href = addressOf({ ...current, at: "", ...changes });
  };
  address();
  for (const kind of ["pointerenter", "focus"]) element.addEventListener(kind, address);
  element.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    change(changes);
  });
  return element;
}

/** @type {{ keys: (keyof State)[], draw: (state: State) => void, drawn: string }[]} */
const watchers = [];

/**
 * Draw a part of the page now, and again whenever one of these changes.
 *
 * @param {(keyof State)[]} keys
 * @param {(state: State) => void} draw
 */
export function watch(keys, draw) {
  watchers.push({ keys, draw, drawn: "" });
}

/** Draw whatever has changed. */
export function refresh() {
  for (const watcher of watchers) {
    const now = JSON.stringify(watcher.keys.map((key) => current[key]));
    if (now !== watcher.drawn) {
      watcher.drawn = now;
      watcher.draw(current);
    }
  }
}

/**
 * Change what is chosen: a new step of the browser's history, or the same one while somebody types.
 *
 * @param {Partial<State>} changes
 * @param {{ replace?: boolean }} [how]
 */
export function change(changes, { replace = false } = {}) {
  const address = addressOf({ ...current, at: "", ...changes });
  if (address === (location.hash || "#")) return;
  try {
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
  } catch {
    // A page within a notebook has no address of its own; what is chosen holds all the same.
  }
  current = stateOf(address.slice(1));
  refresh();
}

/** Back, forward, a link within the page, or an address that somebody typed. */
window.addEventListener("popstate", () => {
  current = stateOf(location.hash.slice(1));
  refresh();
});
