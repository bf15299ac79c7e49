/** All runs by topic: a heatmap, the hard topics, and the means of topic groups. */

import { data, direction, ranked, valuesOf } from "./data.js";
import { byId, counted, html, named, nameOf } from "./elements.js";
import { chosenRuns, chosenTopics } from "./filters.js";
import { heatmap, meanOfValues } from "./heatmap.js";
import { figure } from "./numbers.js";
import { change, link, state, watch } from "./state.js";
import { columnHeads, compared, orderOf, row, runName, scrolling, sortingHead } from "./tables.js";

const LISTED = 15;
const FEW_RUNS = 12;

/** @param {number} topic */
function topicLink(topic) {
  return link({ topic, document: null }, named(data.topics[topic].id));
}

/** Statistics of the values of some runs for a topic. @param {number} topic @param {number[]} runs */
function hardness(topic, runs) {
  const { measure } = state();
  const values = runs.map((run) => valuesOf(measure, run)[topic]);
  const mean = meanOfValues(values);
  const squares = values.map((value) => (value === null || mean === null ? null : (value - mean) ** 2));
  const sign = direction(measure);
  const signed = values.map((value) => (value === null ? -Infinity : sign * value));
  const best = Math.max(...signed);
  const variance = meanOfValues(squares);
  return {
    topic,
    mean,
    sd: variance === null ? null : Math.sqrt(variance),
    best: Number.isFinite(best) ? sign * best : null,
    runs: runs.filter((_, place) => signed[place] === best),
  };
}

/** @param {number[]} runs @param {number[]} topics */
function hardTopics(runs, topics) {
  const { measure, hard, runs: selected } = state();
  const order = orderOf(hard || `mean ${direction(measure) > 0 ? "up" : "down"}`);
  const key = /** @type {"mean" | "sd" | "best"} */ (["mean", "sd", "best"].includes(order.key) ? order.key : "mean");
  const rows = topics.map((topic) => hardness(topic, runs)).filter(({ mean }) => mean !== null);
  rows.sort((a, b) => compared(a[key], b[key], order.down) || a.topic - b.topic);
  const sort = (/** @type {string} */ next) => change({ hard: next });
  const title = "Hard topics";
  const tableOf = (/** @type {typeof rows} */ listed) =>
    html(
      "table",
      {},
      html("caption", { class: "unseen" }, title),
      columnHeads(
        "Topic",
        sortingHead({ key: "mean", label: "Mean of runs", order, sort, downFirst: false }),
        sortingHead({ key: "sd", label: "SD of runs", order, sort }),
        sortingHead({ key: "best", label: "Best value", order, sort, downFirst: false }),
        "Best run",
      ),
      html(
        "tbody",
        {},
        ...listed.map((each) =>
          row(
            {},
            [topicLink(each.topic)],
            figure(each.mean),
            figure(each.sd),
            figure(each.best),
            html(
              "td",
              {},
              each.runs.length > 1 ? counted(each.runs.length, "tied run") : runName(each.runs[0], selected),
            ),
          ),
        ),
      ),
    );
  const worst = data.measures[measure][direction(measure) > 0 ? "low" : "high"];
  const unsolved = rows.filter(({ best }) => best === worst);
  return html(
    "div",
    { class: "part" },
    html("h3", {}, title),
    worst !== null &&
      html(
        "p",
        { id: "unsolved" },
        unsolved.length
          ? `For ${counted(unsolved.length, "topic")}, no run has a value better than ${worst}: `
          : `For every topic, a run has a value better than ${worst}.`,
        ...unsolved.slice(0, LISTED).flatMap(({ topic }, place) => [place ? ", " : "", topicLink(topic)]),
        unsolved.length > LISTED && ", …",
      ),
    scrolling(tableOf(rows.slice(0, LISTED)), title, () => tableOf(rows)),
  );
}

/** @param {number[]} runs */
function groupMeans(runs) {
  if (!data.groups.length) return null;
  const { measure, runs: selected } = state();
  const groups = [{ name: "all topics", topics: data.topics.map((_, topic) => topic) }, ...data.groups];
  const rows = ranked(measure).filter((run) => runs.includes(run));
  const means = rows.map((run) =>
    groups.map(({ topics }) => meanOfValues(topics.map((topic) => valuesOf(measure, run)[topic]))),
  );
  const sign = direction(measure);
  const best = groups.map((_, group) => Math.max(...means.map((each) => sign * (each[group] ?? -Infinity * sign))));
  const title = `Means of ${nameOf(data.measures[measure].title)} by topic group`;
  const table = html(
    "table",
    { class: "groups" },
    html("caption", { class: "unseen" }, title),
    columnHeads("Run", ...groups.map(({ name, topics }) => html("span", {}, named(name), ` (${topics.length})`))),
    html(
      "tbody",
      {},
      ...rows.map((run, place) =>
        row(
          {},
          [runName(run, selected)],
          ...means[place].map((mean, group) =>
            figure(mean, { className: mean !== null && sign * mean === best[group] ? "best" : "" }),
          ),
        ),
      ),
    ),
  );
  const note = "Means over the topics of each group for which the run has a value. Bold: best mean of the column.";
  return html(
    "details",
    { class: "part", open: rows.length <= FEW_RUNS },
    html("summary", {}, title),
    scrolling(table, title),
    html("p", { class: "note" }, note),
  );
}

/** @param {import("./state.js").State} chosen */
function drawOverview({ measure }) {
  const [runs, topics] = [chosenRuns(), chosenTopics()];
  const hasValues = runs.length > 0 && topics.length > 0 && data.measures[measure]?.by_topic;
  byId("overview-body").replaceChildren(
    ...(hasValues
      ? [heatmap(runs, topics), hardTopics(runs, topics), groupMeans(runs) ?? ""]
      : [html("p", { class: "note" }, "No topic has values of the runs that the filters select.")]),
  );
}

export function startOverview() {
  byId("overview").hidden = data.runs.length < 2 || data.topics.length < 2;
  if (byId("overview").hidden) return;
  watch(["measure", "group", "find", "names", "factor", "heat", "hard", "runs"], drawOverview);
}
