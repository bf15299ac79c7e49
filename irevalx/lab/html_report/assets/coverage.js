/** How much of the rankings was judged, who found what alone, and what the unjudged documents could do. */

import { data, depth, hasRankings } from "./data.js";
import { byId, html, named, nameOf, shortName, svg } from "./elements.js";
import { figure, percent, ticks } from "./numbers.js";
import { saved } from "./saving.js";
import { badge, bar, colourOf, part, shareBar } from "./pictures.js";
import { watch } from "./state.js";
import { columnHeads, row, runName, scrolling } from "./tables.js";

/** The share judged by rank: a line for each run, the chosen ones in front. @param {number[]} runs */
function coverageChart(runs) {
  const all = data.judged_among_retrieved.flatMap(({ within }) => within).filter((share) => share !== null);
  const least = Math.min(1, ...all);
  const from = Math.floor(Math.min(least, 0.95) * 10) / 10;
  const shares = ticks(from, 1, 5).at;
  const x = (/** @type {number} */ rank) => part(rank, 1, Math.max(depth, 2));
  const y = (/** @type {number} */ share) => 100 - part(share, from, 1);
  const line = (/** @type {number} */ run) => {
    const points = data.judged_among_retrieved[run].within.flatMap((share, rank) =>
      share === null ? [] : [`${x(rank + 1).toFixed(2)} ${y(share).toFixed(2)}`],
    );
    return points.length ? `M${points.join("L")}${points.length === 1 ? "h0" : ""}` : "";
  };
  const others = data.runs.map((_, run) => run).filter((run) => !runs.includes(run));
  const picture = svg(
    "svg",
    {
      viewBox: "0 0 100 100",
      preserveAspectRatio: "none",
      role: "img",
      class: "lines",
      "aria-label": `Share of judged documents among the first K retrieved, for K from 1 to ${depth}; the table below contains the numbers.`,
    },
    ...shares.map((share) => svg("line", { class: "grid", x1: 0, x2: 100, y1: y(share), y2: y(share) })),
    svg("path", { class: "other", d: others.map(line).join("") }),
    ...[...runs].reverse().map((run) => svg("path", { class: colourOf(runs.indexOf(run)), d: line(run) })),
  );
  const label = (/** @type {string} */ text, /** @type {string} */ side, /** @type {number} */ place) => {
    const span = html("span", {}, text);
    span.style.setProperty(side, `${place}%`);
    return span;
  };
  const ranks = [...new Set([1, Math.round((depth + 1) / 2), depth])];
  const topics = data.about.complete ? ", over the topics with results" : "";
  const title = `Share of judged documents among the first K retrieved${topics}`;
  return saved(
    html(
      "figure",
      { class: "chart" },
      html("figcaption", {}, title),
      html(
        "div",
        { class: "axes" },
        html(
          "div",
          { class: "labels y", "aria-hidden": "true" },
          ...shares.map((share) => label(percent(share), "bottom", 100 - y(share))),
        ),
        html("div", { class: "plot" }, picture, ...endsOf(runs, y)),
        html("span", {}),
        html(
          "div",
          { class: "labels x", "aria-hidden": "true" },
          ...ranks.map((rank) => label(String(rank), "left", x(rank))),
        ),
      ),
    ),
    title,
  );
}

/**
 * The numbers of the chosen runs at the ends of their lines, moved apart where they meet.
 *
 * @param {number[]} runs
 * @param {(share: number) => number} y
 */
function endsOf(runs, y) {
  const ends = runs
    .map((run, place) => ({ place, at: y(data.judged_among_retrieved[run].within.at(-1) ?? 0) }))
    .sort((a, b) => a.at - b.at);
  ends.forEach((end, index) => {
    if (index) end.at = Math.max(end.at, ends[index - 1].at + 9);
  });
  return ends.map(({ place, at }) => {
    const mark = badge(place);
    mark.classList.add("end");
    mark.style.setProperty("top", `${at}%`);
    return mark;
  });
}

/** @param {number[]} runs */
function coverageTable(runs) {
  const ranks = [...new Set([1, 3, 5, 10, 20, 50, 100, depth].filter((rank) => rank <= depth))];
  const order = [...runs, ...data.runs.map((_, run) => run).filter((run) => !runs.includes(run))];
  const shares = (/** @type {number} */ run) =>
    ranks.map((rank) => {
      const share = data.judged_among_retrieved[run].within[rank - 1] ?? null;
      return share === null ? "–" : html("data", { value: share }, percent(share));
    });
  const table = html(
    "table",
    {},
    html("caption", { class: "unseen" }, "Share of judged documents among the first retrieved documents"),
    columnHeads("Run", ...ranks.map((rank) => `first ${rank}`)),
    html("tbody", {}, ...order.map((run) => row({}, [runName(run, runs)], ...shares(run)))),
  );
  const FEW_RUNS = 12;
  return html(
    "details",
    { open: data.runs.length <= FEW_RUNS },
    html("summary", {}, "Numbers"),
    scrolling(table, "Share of judged documents"),
  );
}

/** @param {string} group */
function nameOfGroup(group) {
  const run = data.runs.find(({ name }) => name === group);
  return run ? shortName(run) : named(group);
}

function foundAlone() {
  const groups = data.found_alone;
  if (!groups.length) return null;
  const most = Math.max(...groups.map(({ alone }) => alone), 1);
  const rows = groups.map((group) =>
    row(
      {},
      [nameOfGroup(group.group)],
      ...[group.documents, group.alone, group.judged_alone, group.relevant_alone].map((each) =>
        each.toLocaleString("en"),
      ),
      html("td", { class: "picture" }, shareBar(group.alone / most, "of the largest number of unique documents")),
    ),
  );
  const title = "Unique documents";
  const table = html(
    "table",
    {},
    html("caption", { class: "unseen" }, title),
    columnHeads("Group", "Documents", "Unique", "Judged", "Relevant", ""),
    html("tbody", {}, ...rows),
  );
  const first = depth > 1 ? `first ${depth}` : "first documents";
  const note = `Unique: documents among the ${first} of a group that are not among the ${first} of any other group.`;
  return html(
    "div",
    { class: "part" },
    html("h3", {}, title),
    html("p", { class: "note" }, note),
    scrolling(table, title),
  );
}

/** Whether all first documents of all runs are judged. */
function isAllJudged() {
  return data.judged_among_retrieved.every(({ within }) => within.every((share) => share === null || share === 1));
}

/** The possible effect of unjudged documents. @param {number} measure @param {number[]} runs */
function boundsOf(measure, runs) {
  if (!data.bounds.length) return null;
  const shown = data.bounds.some((each) => each.measure === measure) ? measure : data.bounds[0].measure;
  const bounds = data.bounds.filter((each) => each.measure === shown);
  bounds.sort((a, b) => b.mean - a.mean || a.run - b.run);
  const to = Math.max(...bounds.map(({ high }) => high));
  const rows = bounds.map(({ run, mean, low, high }) =>
    row(
      {},
      [runName(run, runs)],
      figure(low),
      figure(mean),
      figure(high),
      html("td", { class: "picture" }, bar({ value: mean, low, high, from: 0, to })),
    ),
  );
  const title = "Effect of unjudged documents";
  const table = html(
    "table",
    { class: "bounds" },
    html("caption", { class: "unseen" }, title),
    columnHeads("Run", "Minimum", "Current", "Maximum", ""),
    html("tbody", {}, ...rows),
  );
  const name = nameOf(data.measures[shown].title);
  const note = `Minimum and maximum ${name} over all possible judgments of the unjudged documents, over the topics of all runs.`;
  return html(
    "div",
    { class: "part" },
    html("h3", {}, title),
    html("p", { class: "note" }, note),
    scrolling(table, title),
  );
}

const ALL_JUDGED =
  `All ${depth > 1 ? `of the first ${depth} documents` : "first documents"} of every run are judged: ` +
  `unjudged documents cannot change P.${depth}. They can change measures that also depend on other relevant documents, ` +
  `such as ndcg@${depth} and recall.${depth}.`;

/** Whether judgments of the unjudged documents could change any mean. */
const HAVE_EFFECT = data.bounds.some(({ low, high }) => low !== high);

export function startCoverage() {
  if (!hasRankings) {
    byId("coverage").hidden = true;
    return;
  }
  watch(["runs", "measure"], ({ runs, measure }) => {
    const judged = isAllJudged()
      ? [html("p", { class: "part" }, ALL_JUDGED), HAVE_EFFECT && boundsOf(measure, runs)]
      : [html("div", { class: "part" }, coverageChart(runs), coverageTable(runs)), boundsOf(measure, runs)];
    byId("coverage-body").replaceChildren(...judged.filter((each) => each instanceof Node), foundAlone() ?? "");
  });
}
