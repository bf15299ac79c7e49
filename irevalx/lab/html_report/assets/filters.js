/** The choices that hold for the whole page: the measure, and which topics. */

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

let waiting = 0;

function finder() {
  const input = html("input", {
    type: "search",
    id: "find",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "id or text",
  });
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => filterTopics({ find: input.value }), PAUSE);
  });
  return html("label", { class: "field" }, html("span", {}, "Search topics"), input);
}

export function startFilters() {
  const groups = ["all topics", ...data.groups.map(({ name, topics }) => `${name} (${topics.length})`)];
  const status = html("output", { class: "muted", id: "n-topics", for: "group find" });
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
    data.topics.length > 1 ? finder() : "",
    status,
  );
  watch(["measure", "group", "find"], ({ measure, group, find }) => {
    /** @type {HTMLSelectElement} */ (byId("measure")).value = String(measure);
    if (data.groups.length) {
      /** @type {HTMLSelectElement} */ (byId("group")).value = String(group === null ? 0 : group + 1);
    }
    const input = /** @type {HTMLInputElement | null} */ (document.getElementById("find"));
    if (input && input.value !== find) {
      clearTimeout(waiting);
      input.value = find;
    }
    const number = chosenTopics().length;
    status.textContent =
      number < data.topics.length ? `${number.toLocaleString("en")} of ${counted(data.topics.length, "topic")}` : "";
  });
}
