/** The choices that hold for the whole page: the measure, which topics, and which runs are listed. */

import { data } from "./data.js";
import { byId, counted, html, nameOf, readable } from "./elements.js";
import { change, state, watch } from "./state.js";

/** What a topic is searched in. */
const searched = data.topics.map(({ id, text }) => readable(`${id}\n${text ?? ""}`).toLowerCase());

/**
 * The topics of the chosen group that have the text looked for, in the file's order.
 *
 * @param {{ group: number | null, find: string }} [by]
 * @returns {number[]}
 */
export function chosenTopics({ group, find } = state()) {
  const wanted = find.trim().toLowerCase();
  const from = group === null ? data.topics.map((_, topic) => topic) : data.groups[group].topics;
  return wanted ? from.filter((topic) => searched[topic].includes(wanted)) : from;
}

/**
 * @param {string} id
 * @param {string} label
 * @param {string[]} names
 * @param {(index: number) => void} choose
 */
function chooser(id, label, names, choose) {
  const select = html("select", { id }, ...names.map((name, index) => html("option", { value: index }, nameOf(name))));
  select.addEventListener("change", () => choose(Number(select.value)));
  return html("label", { class: "field" }, html("span", {}, label), select);
}

/** Filter topics, and close the open topic if it does not match. @param {{ group?: number | null, find?: string }} by */
function filterTopics(by) {
  const { topic, find } = state();
  const isListed = topic === null || chosenTopics({ ...state(), ...by }).includes(topic);
  // The letters of a search are one step of the browser's history.
  change(isListed ? by : { ...by, topic: null, document: null }, { replace: find !== "" && Boolean(by.find) });
}

const PAUSE = 150; // milliseconds after the last key

/**
 * A box that searches when nobody types any more, and how to set its text.
 *
 * @param {string} id
 * @param {string} label
 * @param {string} placeholder
 * @param {(text: string) => void} search
 */
function finder(id, label, placeholder, search) {
  const input = html("input", { type: "search", id, autocomplete: "off", spellcheck: "false", placeholder });
  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => search(input.value), PAUSE);
  });
  const set = (/** @type {string} */ text) => {
    if (input.value === text) return;
    clearTimeout(waiting);
    input.value = text;
  };
  return { field: html("label", { class: "field" }, html("span", {}, label), input), set };
}

const FEWEST_FILTERED = 8; // runs
const MOST_FACTORS = 6;

/** The factors in the names of the runs, by which they can be filtered, with their values. */
const FACTORS = Object.entries(data.names.factors)
  .map(([key, values]) => ({
    key,
    values,
    each: [...new Set(values.filter((value) => value !== null))].sort(byNumber),
  }))
  .slice(0, MOST_FACTORS);

/** @param {string} a @param {string} b */
function byNumber(a, b) {
  return a.localeCompare(b, "en", { numeric: true });
}

/** The index of the value of a factor that the runs have to have; -1 for all values. @param {string} key @param {string[]} each */
function chosenValue(key, each) {
  return each.findIndex((value) => state().factor.includes(`${key}=${value}`));
}

/** The runs with all words and factors looked for, in the order of the file. @returns {number[]} */
export function chosenRuns() {
  const words = state().names.toLowerCase().split(/\s+/).filter(Boolean);
  return data.runs.flatMap(({ name, group }, run) => {
    const text = readable(`${name} ${group ?? ""}`).toLowerCase();
    const has = ({ key, values, each } = FACTORS[0]) => {
      const index = chosenValue(key, each);
      return index < 0 || values[run] === each[index];
    };
    return words.every((word) => text.includes(word)) && FACTORS.every(has) ? [run] : [];
  });
}

/** The filter of runs, above their table. */
export function startRunFilter() {
  if (data.runs.length < FEWEST_FILTERED) return;
  const { field, set } = finder("find-runs", "Search runs", "parts of names", (names) =>
    change({ names }, { replace: Boolean(state().names && names) }),
  );
  const choosers = FACTORS.map(({ key, each }, place) =>
    chooser(`factor-${place}`, key, ["all", ...each], (index) => {
      const others = state().factor.filter((text) => !text.startsWith(`${key}=`));
      change({ factor: index ? [...others, `${key}=${each[index - 1]}`] : others });
    }),
  );
  const status = html("output", { class: "muted", id: "n-runs" });
  byId("runs-body").before(
    html("form", { class: "choices", id: "run-filter", "aria-label": "Filter of runs" }, field, ...choosers, status),
  );
  byId("run-filter").addEventListener("submit", (event) => event.preventDefault());
  watch(["names", "factor"], ({ names }) => {
    set(names);
    FACTORS.forEach(({ key, each }, place) => {
      /** @type {HTMLSelectElement} */ (byId(`factor-${place}`)).value = String(chosenValue(key, each) + 1);
    });
    const number = chosenRuns().length;
    status.textContent = number < data.runs.length ? `${number} of ${counted(data.runs.length, "run")}` : "";
  });
}

export function startFilters() {
  const groups = ["all topics", ...data.groups.map(({ name, topics }) => `${name} (${topics.length})`)];
  const status = html("output", { class: "muted", id: "n-topics", for: "group find" });
  const topics = finder("find", "Search topics", "id or text", (find) => filterTopics({ find }));
  byId("filters").append(
    chooser(
      "measure",
      "Measure",
      data.measures.map(({ title }) => title),
      (measure) => change({ measure }),
    ),
    data.groups.length
      ? chooser("group", "Topic group", groups, (index) => filterTopics({ group: index ? index - 1 : null }))
      : "",
    data.topics.length > 1 ? topics.field : "",
    status,
  );
  watch(["measure", "group", "find"], ({ measure, group, find }) => {
    /** @type {HTMLSelectElement} */ (byId("measure")).value = String(measure);
    if (data.groups.length) {
      /** @type {HTMLSelectElement} */ (byId("group")).value = String(group === null ? 0 : group + 1);
    }
    topics.set(find);
    const number = chosenTopics().length;
    status.textContent =
      number < data.topics.length ? `${number.toLocaleString("en")} of ${counted(data.topics.length, "topic")}` : "";
  });
}
