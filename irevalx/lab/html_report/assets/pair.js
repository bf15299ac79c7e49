/** Two runs against each other: the difference and its interval first, then the topics it comes from. */

import { cautionBadge, cautionNote, cautionOf } from "./cautions.js";
import { baseline, data, differenceOfMeans, differencesOf, favours, overlapOf, pairOf, shownInterval } from "./data.js";
import { differencesChart, labels, overlapsChart, Pointer, scatterChart } from "./charts.js";
import { button, byId, counted, html, named, nameOf, svg } from "./elements.js";
import { figure, interval, percent, probability, ticks, written } from "./numbers.js";
import { countsBar, part } from "./pictures.js";
import { change, link, state, watch } from "./state.js";
import { columnHeads, row, runName, scrolling } from "./tables.js";
import { chosenTopics } from "./filters.js";
import { startUnjudged, unjudgedPart } from "./unjudged.js";

/**
 * A difference with its interval on an axis from -most to most.
 *
 * @param {import("./data.js").Pair} pair
 * @param {number} most
 */
function differenceLine(pair, most) {
  const { difference } = pair;
  const { low, high } = shownInterval(pair);
  const x = (/** @type {number} */ value) => `${most ? part(value, -most, most) : 50}%`;
  const picture = svg("svg", { class: "bar interval-line", "aria-hidden": "true", width: "100%", height: 18 });
  for (const at of ticksOf(most).at) {
    picture.append(svg("line", { class: at ? "tick" : "zero", x1: x(at), x2: x(at), y1: 0, y2: 18 }));
  }
  if (low !== null && high !== null) {
    picture.append(svg("line", { class: "span", x1: x(low), x2: x(high), y1: 9, y2: 9 }));
  }
  if (difference !== null) picture.append(svg("circle", { class: "middle", cx: x(difference), cy: 9, r: 4.5 }));
  return picture;
}

/** Round values on an axis from -most to most, symmetric around zero. @param {number} most */
function ticksOf(most) {
  if (!most) return { at: [0], decimals: 0 };
  const { at, decimals } = ticks(0, most, 2);
  return {
    at: [
      ...at
        .slice(1)
        .map((value) => -value)
        .reverse(),
      ...at,
    ],
    decimals,
  };
}

/** The numbers of an axis from -most to most. @param {number} most */
function axisNumbers(most) {
  const { at, decimals } = ticksOf(most);
  const end = most || 1;
  return labels(at, decimals, -end, end, "x");
}

/** @param {import("./data.js").Pair} pair @param {number} measure */
function verdictOf({ difference, low, high, p, differ, wins, losses }, measure) {
  if (difference === null) return "";
  if (wins + losses === 0) return "The runs have equal values for every topic.";
  if (p === null) return "No test is available for this pair.";
  if (!differ) {
    const alone = low !== null && high !== null && low * high > 0;
    return alone
      ? "Not significant after correction for the number of pairs, although the interval for this pair alone excludes 0."
      : "The difference is not significant.";
  }
  return favours(measure, difference) > 0
    ? "The first run is significantly better."
    : "The second run is significantly better.";
}

/** @param {number} first @param {number} second */
function choosers(first, second) {
  const choose = (/** @type {number} */ place, /** @type {string} */ label, /** @type {number} */ own) => {
    const select = html(
      "select",
      { id: `pair-${place}` },
      ...data.runs.map(({ name, short }, run) =>
        html("option", { value: run, selected: run === own, title: name === short ? null : name }, nameOf(short)),
      ),
    );
    select.addEventListener("change", () => {
      const runs = [...state().runs];
      const run = Number(select.value);
      const before = runs.indexOf(run);
      if (before >= 0) runs[before] = runs[place];
      runs[place] = run;
      change({ runs });
      byId(`pair-${place}`).focus();
    });
    return html("label", { class: "field" }, html("span", {}, label), select);
  };
  const swap = button(
    { class: "plain", id: "swap" },
    () => {
      const [a, b, ...others] = state().runs;
      change({ runs: [b, a, ...others] });
      byId("swap").focus();
    },
    "Swap",
  );
  return html("div", { class: "choices" }, choose(0, "First", first), choose(1, "Second", second), swap);
}

/**
 * The differences of the pair under all tested measures. Intervals of measures between 0 and 1 share an axis.
 *
 * @param {number} first
 * @param {number} second
 * @param {number} shown the measure that is open
 */
function measuresTable(first, second, shown) {
  const sharesAxis = (/** @type {number} */ index) => data.measures[index].high === 1;
  const most = data.measures.reduce((/** @type {number} */ greatestOfAll, _, index) => {
    const pair = sharesAxis(index) ? pairOf(index, first, second) : null;
    return pair ? Math.max(greatestOfAll, greatest(pair)) : greatestOfAll;
  }, 0);
  const names = [first, second].map((run) => nameOf(data.runs[run].short));
  const rows = data.measures.map((measure, index) => {
    const pair = pairOf(index, first, second);
    if (!pair) return null;
    const { low, high } = shownInterval(pair);
    return row(
      { class: index === shown && "chosen" },
      [link({ measure: index }, named(measure.title))],
      html(
        "td",
        {},
        figure(pair.difference, { signed: true }),
        cautionBadge([first, second], index, cautionOf(pair, names)),
      ),
      interval(low, high, { signed: true }),
      html("td", { class: "picture" }, sharesAxis(index) && differenceLine(pair, most)),
      probability(pair.p),
      probability(pair.corrected_p),
      pair.wins,
      pair.ties,
      pair.losses,
    );
  });
  if (!rows.some(Boolean)) return null;
  const axis = html("td", { class: "picture" }, most > 0 && axisNumbers(most));
  const heads = columnHeads("Measure", "Difference", "Interval", axis, "p", "corrected p", "Better", "Tied", "Worse");
  const title = "All measures of this pair";
  const table = html("table", { class: "pair" }, html("caption", {}, title), heads, html("tbody", {}, ...rows));
  return html("div", {}, scrolling(table, title), cautionNote && html("p", { class: "note" }, cautionNote.trim()));
}

/** How far from zero the line of a difference has to go. @param {import("./data.js").Pair} pair */
function greatest(pair) {
  const { low, high } = shownInterval(pair);
  return Math.max(...[pair.difference, low, high].map((value) => Math.abs(value ?? 0))) * 1.1;
}

/**
 * Which topics decide the difference: those that have to go, the strongest first, until nothing is left of it.
 *
 * @param {(number | null)[]} differences
 */
export function decisive(differences) {
  const sum = differences.reduce((/** @type {number} */ total, each) => total + (each ?? 0), 0);
  const sign = Math.sign(sum);
  const order = differences.map((value, topic) => ({ topic, value: sign * (value ?? 0) }));
  order.sort((a, b) => b.value - a.value || a.topic - b.topic);
  const found = [];
  let left = sign * sum;
  for (const { topic, value } of order) {
    if (left <= 1e-12 || value <= 0) break;
    left -= value;
    found.push(topic);
  }
  return found;
}

const MOST_TOPICS_NAMED = 8;

/** @param {(number | null)[]} differences @param {string[]} names */
function decisiveSentence(differences, names) {
  const topics = decisive(differences);
  if (!topics.length) return "";
  const sum = differences.reduce((/** @type {number} */ total, each) => total + (each ?? 0), 0);
  const links = topics
    .slice(0, MOST_TOPICS_NAMED)
    .flatMap((topic, place) => [
      place ? ", " : "",
      link({ topic, document: null }, named(data.topics[topic].id)),
      ` (${written(differences[topic], { signed: true })})`,
    ]);
  const better = sum > 0 ? names[0] : names[1];
  const text =
    topics.length === 1
      ? "Without this topic, the difference would disappear: "
      : `Without the ${topics.length} topics on which ${better} is ahead most, the difference would disappear. ` +
        "The largest: ";
  const more =
    topics.length > MOST_TOPICS_NAMED ? `, and ${counted(topics.length - MOST_TOPICS_NAMED, "more", "more")}` : "";
  return html("p", {}, text, ...links, more, ".");
}

/** @param {(number | null)[]} differences @param {number[]} topics @param {number} measure */
function countsOf(differences, topics, measure) {
  const signs = topics
    .map((topic) => differences[topic])
    .filter((value) => value !== null)
    .map((value) => favours(measure, value));
  const of = (/** @type {number} */ sign) => signs.filter((each) => each === sign).length;
  return { wins: of(1), ties: of(0), losses: of(-1), all: signs.length };
}

/**
 * The rank-biased overlap of the two runs: its mean, its extremes, and a figure of all topics.
 *
 * @param {import("./charts.js").Shown} charts
 */
function overlapPart(charts) {
  const { topics } = charts;
  const overlap = overlapOf(charts.runs[0], charts.runs[1]);
  if (!overlap || overlap.mean === null) return [];
  const { p, byTopic, mean } = overlap;
  const order = data.topics.map((_, topic) => topic).filter((topic) => byTopic[topic] !== null);
  order.sort((a, b) => (byTopic[a] ?? 0) - (byTopic[b] ?? 0) || a - b);
  const chosen = topics.map((topic) => byTopic[topic]).filter((value) => value !== null);
  const ofChosen = chosen.reduce((sum, value) => sum + value, 0) / chosen.length;
  const extreme = (/** @type {number} */ topic) => [
    figure(byTopic[topic]),
    " (topic ",
    link({ topic, document: null }, named(data.topics[topic].id)),
    ")",
  ];
  return [
    html(
      "p",
      { id: "overlap" },
      `Rank-biased overlap of the complete rankings (RBO, p = ${p}${p === 1 ? ": average overlap" : ""}): mean `,
      figure(mean),
      ` over ${counted(order.length, "topic")}`,
      ...(order.length > 1 ? [", from ", ...extreme(order[0]), " to ", ...extreme(order[order.length - 1])] : []),
      ".",
      ...(topics.length < data.topics.length && chosen.length
        ? [` Mean over the ${counted(chosen.length, "topic")} selected by the filters: `, figure(ofChosen), "."]
        : []),
    ),
    overlapsChart({ ...charts, overlaps: byTopic, order }),
  ];
}

/** @param {import("./state.js").State} chosen */
function drawPair({ runs, measure }) {
  const body = byId("pair-body");
  if (runs.length < 2) {
    body.replaceChildren(html("p", { class: "note" }, "Select two runs in the table above to compare them here."));
    return;
  }
  const [first, second] = runs;
  const names = [data.runs[first].short, data.runs[second].short].map(nameOf);
  const differences = differencesOf(measure, first, second);
  const topics = chosenTopics();
  const pair = pairOf(measure, first, second);
  const difference = pair ? pair.difference : differenceOfMeans(measure, first, second);
  const found = pair ?? {
    difference,
    low: null,
    high: null,
    p: null,
    corrected_p: null,
    differ: null,
    wins: 0,
    ties: 0,
    losses: 0,
    simultaneous_low: null,
    simultaneous_high: null,
    test: null,
    depends_on_unjudged: null,
    if_relevant: null,
  };
  const all = data.topics.map((_, topic) => topic);
  const counts = pair ? { ...pair, all: pair.wins + pair.ties + pair.losses } : countsOf(differences, all, measure);
  const filtered = topics.length < all.length;
  const some = countsOf(differences, topics, measure);
  const sumOfSome = topics.reduce((sum, topic) => sum + (differences[topic] ?? 0), 0);
  const name = data.measures[measure].title;
  const run = (/** @type {number} */ place) => runName(runs[place], runs);
  const soft = (/** @type {string} */ text) => html("span", { class: "muted" }, text);
  const isTested = data.measures[measure].is_tested;
  const verdict = pair ? verdictOf(pair, measure) : isTested ? notCompared() : IS_COVERAGE;
  const caution = cautionOf(found, names);
  const areEqual = differences.every((value) => value === null || value === 0);
  const tested = pair &&
    pair.corrected_p !== null &&
    !areEqual && [" Corrected p ", probability(pair.corrected_p), ". "];
  const share = percent(data.about.confidence);
  const ofInterval =
    found.simultaneous_low !== null
      ? ` The ${share} intervals are simultaneous for all pairs.`
      : found.low !== null
        ? ` The ${share} interval is for this difference alone.`
        : "";
  const flipped =
    found.test !== null && found.test !== data.about.test
      ? " p is computed by an exact sign-flip test, because too few topics differ, or all differ by the same amount."
      : "";
  const charts = { runs: [first, second], measure, topics, names, open: openTopicOf, pointer: new Pointer() };
  body.replaceChildren(
    choosers(first, second),
    html(
      "div",
      { class: "headline" },
      html("p", { class: "versus" }, run(0), soft("minus"), run(1), soft("in"), named(name)),
      html(
        "p",
        { class: "difference", id: "difference" },
        figure(found.difference, { signed: true }),
        " ",
        interval(shownInterval(found).low, shownInterval(found).high, { signed: true }),
      ),
      differenceLine(found, greatest(found)),
      axisNumbers(greatest(found)),
      html(
        "p",
        { class: "sides centred", "aria-hidden": "true" },
        html("span", {}, `← ${names[1]} higher`),
        html("span", {}),
        html("span", {}, `${names[0]} higher →`),
      ),
      html(
        "p",
        {},
        verdict,
        caution && " ",
        cautionBadge([first, second], measure, caution),
        caution && html("strong", { class: "caution" }, ` ${caution[0].toUpperCase()}${caution.slice(1)}.`),
        difference === null && " Their means are not compared, because the runs have values for different topics.",
        tested && html("span", { class: "muted" }, ...tested, data.about.how_tested, flipped, ofInterval),
      ),
      countsBar(counts),
    ),
    unjudgedPart([first, second], topics) ?? "",
    filtered
      ? html(
          "p",
          { class: "filtered" },
          `Over the ${counted(topics.length, "topic")} selected by the filters, `,
          figure(some.all ? sumOfSome / some.all : null, { signed: true }),
          ` on average; ${some.wins} better, ${some.ties} tied, ${some.losses} worse.`,
        )
      : "",
    decisiveSentence(differences, names),
    differences.some((value) => value !== null)
      ? html(
          "div",
          { class: "charts" },
          areEqual
            ? html("p", { class: "note" }, `The difference in ${name} is 0 for every topic.`)
            : differencesChart({ ...charts, differences }),
          scatterChart(charts),
        )
      : html("p", { class: "note" }, `No topic has values of both runs for ${name}.`),
    ...overlapPart(charts),
    measuresTable(first, second, measure) ?? "",
  );
}

const IS_COVERAGE = "This measure describes the coverage of the judgments; runs are not tested under it.";

function notCompared() {
  return baseline === null
    ? "These two runs were not tested, because no topic has values of all runs under this measure."
    : "These two runs were not tested, because the report compares runs with a baseline. " +
        "To compare them, write the report without a baseline, or with one of these runs as the baseline.";
}

/** @param {number} topic */
function openTopicOf(topic) {
  change({ topic, document: null });
}

export function startPair() {
  byId("pair").hidden = data.runs.length < 2;
  watch(["runs", "measure", "group", "find"], drawPair);
  startUnjudged();
}
