/** The topics, in the order in which two runs differ most about them. */

import { data, differencesOf, favours, hasRankings, overlapOf, valuesOf } from "./data.js";
import { button, byId, counted, html, named, nameOf, readable } from "./elements.js";
import { chosenTopics } from "./filters.js";
import { figure } from "./numbers.js";
import { differenceBar } from "./pictures.js";
import { rankingContrasts } from "./rankings.js";
import { change, link, state, watch } from "./state.js";
import { compared, orderOf, row, runName, scrolling, sortingHead } from "./tables.js";

const AT_FIRST = 25;
const MORE = 200;
/** Up to so many topics their rankings are compared without being asked: it takes a moment. */
const FEW = 500;

let rowsShown = AT_FIRST;

/** How the topics can be ordered. @type {Record<string, string>} */
const ORDERS = {
  "contrast down": "absolute difference of values",
  "overlap down": "difference of rankings (1 − overlap)",
  "rbo up": "rank-biased overlap, lowest first",
  "difference down": "difference, first run best first",
  "difference up": "difference, second run best first",
  "topic up": "topic",
  "relevant up": "number of relevant documents, fewest first",
};

/** What is known of the chosen runs for each topic. */
function columnsOf() {
  const { runs, measure } = state();
  const [first, second] = runs;
  const differences = second === undefined ? null : differencesOf(measure, first, second);
  return {
    first: first === undefined ? null : valuesOf(measure, first),
    second: second === undefined ? null : valuesOf(measure, second),
    difference: differences,
    contrast: differences?.map((value) => (value === null ? null : Math.abs(value))) ?? null,
    rbo: second === undefined ? null : (overlapOf(first, second)?.byTopic ?? null),
    judged: data.topics.map((topic) => topic.n_judged),
    relevant: data.topics.map((topic) => topic.n_relevant),
    topic: data.topics.map((topic) => topic.id),
  };
}

/** The topics as they are listed: chosen and ordered. @type {number[]} */
let listed = [];

/** The topics beside one in the list. @param {number} topic */
export function neighbours(topic) {
  const at = listed.indexOf(topic);
  return {
    before: listed[at - 1] ?? null,
    after: at < 0 ? (listed[0] ?? null) : (listed[at + 1] ?? null),
    at,
    all: listed.length,
  };
}

/** @param {(number | null)[] | null} overlaps */
function orderTopics(overlaps) {
  const { key, down } = orderOf(state().order);
  /** @type {Record<string, (string | number | null)[] | null>} */
  const columns = { ...columnsOf(), overlap: overlaps };
  const by = columns[key] ?? columns.topic ?? [];
  const known = Boolean(columns[key]);
  listed = [...chosenTopics()].sort((a, b) => compared(by[a], by[b], known && down) || a - b);
}

function orderChooser() {
  const own = state().order;
  const known = Object.keys(ORDERS).includes(own);
  const select = html(
    "select",
    { id: "order" },
    ...Object.entries(ORDERS)
      .filter(([key]) => (hasRankings || !/^(overlap|relevant) /.test(key)) && (data.rbo || key !== "rbo up"))
      .map(([key, label]) => html("option", { value: key, selected: key === own }, label)),
    !known && html("option", { value: own, selected: true }, "a column of the table"),
  );
  select.addEventListener("change", () => {
    change({ order: select.value });
    byId("order").focus();
  });
  return html("div", { class: "choices" }, html("label", { class: "field" }, html("span", {}, "Sort by"), select));
}

/** @param {(number | null)[] | null} overlaps @param {number} size number of rows */
function topicsTable(overlaps, size) {
  const { runs, measure, topic: open, order: own } = state();
  const columns = columnsOf();
  const { first, second, difference, rbo } = columns;
  const most = (difference ?? []).reduce(
    (/** @type {number} */ found, each) => Math.max(found, Math.abs(each ?? 0)),
    0,
  );
  const sort = (/** @type {string} */ next) => change({ order: next });
  const head = (/** @type {string} */ key, /** @type {import("./elements.js").Child} */ label, down = true) =>
    sortingHead({ key, label, order: orderOf(own), sort, downFirst: down });
  const ofRun = (/** @type {number} */ place) => head(place ? "second" : "first", runName(runs[place], runs));
  const rowOf = (/** @type {number} */ topic) => {
    const { id, text, n_judged: judged, n_relevant: relevant } = data.topics[topic];
    const between = difference?.[topic] ?? null;
    const question = readable(text ?? "");
    return row(
      { class: topic === open && "chosen", "data-topic": topic },
      [
        link({ topic, document: null }, named(id)),
        question &&
          html(
            "span",
            { class: "beside text", "data-part": "text", dir: "auto", title: question.slice(0, 1000) },
            question.slice(0, 200),
          ),
      ],
      first && figure(first[topic]),
      second && figure(second[topic]),
      difference && figure(between, { signed: true }),
      difference &&
        html("td", { class: "picture" }, between !== null && differenceBar(between, most, favours(measure, between))),
      second &&
        hasRankings &&
        (overlaps ? figure(overlaps[topic], { decimals: 2 }) : html("span", { class: "muted" }, "…")),
      rbo && figure(rbo[topic]),
      hasRankings && relevant,
      hasRankings && judged,
    );
  };
  return html(
    "table",
    { class: "topics" },
    html("caption", { class: "unseen" }, `Topics, ${nameOf(data.measures[measure].title)}`),
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        head("topic", "Topic", false),
        first && ofRun(0),
        second && ofRun(1),
        difference && head("difference", "Difference"),
        difference && html("td", {}),
        second && hasRankings && head("overlap", "1 − overlap"),
        rbo && head("rbo", "RBO", false),
        hasRankings && head("relevant", "Relevant"),
        hasRankings && head("judged", "Judged"),
      ),
    ),
    html("tbody", {}, ...listed.slice(0, size).map(rowOf)),
  );
}

/** @param {(number | null)[] | null} overlaps */
function drawTable(overlaps) {
  orderTopics(overlaps);
  const left = listed.length - rowsShown;
  const more =
    left > 0 &&
    button(
      { class: "plain", id: "more-topics" },
      () => {
        rowsShown += MORE;
        drawTable(overlaps);
        document.getElementById("more-topics")?.focus();
      },
      left <= MORE ? `Show the other ${counted(left, "topic")}` : `Show ${MORE} more of ${counted(left, "topic")}`,
    );
  byId("topics-body").replaceChildren(
    orderChooser(),
    listed.length
      ? scrolling(topicsTable(overlaps, rowsShown), "Topics", () => topicsTable(overlaps, listed.length))
      : html("p", { class: "note" }, "No topic matches the filters above."),
    more || "",
  );
}

/** What was drawn last: an answer that comes late is for an older question. */
let listAsked = 0;

async function drawTopics() {
  listAsked += 1;
  const question = listAsked;
  const { runs, order: own } = state();
  const [first, second] = runs;
  const wanted = hasRankings && second !== undefined && (data.topics.length <= FEW || orderOf(own).key === "overlap");
  // At once where there is nothing yet, so that what stands below stays in its place.
  if (!wanted || !byId("topics-body").childElementCount) drawTable(null);
  if (!wanted) return;
  const overlaps = rankingContrasts(first, second);
  const ready = await Promise.race([overlaps, new Promise((done) => setTimeout(done, 30, null))]);
  if (question !== listAsked) return;
  drawTable(/** @type {(number | null)[] | null} */ (ready));
  if (ready) return;
  const late = await overlaps;
  if (question === listAsked) drawTable(late);
}

export function startTopics() {
  watch(["runs", "measure", "group", "find", "order"], () => {
    rowsShown = AT_FIRST;
    drawTopics();
  });
  watch(["topic"], ({ topic }) => {
    for (const each of byId("topics-body").querySelectorAll("tbody tr")) {
      each.classList.toggle("chosen", each.getAttribute("data-topic") === String(topic));
    }
  });
}
