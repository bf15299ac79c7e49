/** What the file carries, and a few ways to look things up in it. Its form is described with `--format json`. */

import { byId } from "./elements.js";
import { unpackedNumbers } from "./unpacking.js";

/**
 * @typedef {{ name: string, title: string, what: string, low: number | null, high: number | null,
 *   higher_is_better: boolean | null, is_tested: boolean, by_topic: boolean, adds: boolean, formula: Formula | null }} Measure
 * @typedef {{ name: string, cutoff: number | null, level: number }} Formula
 * @typedef {{ name: string, short: string, group: string | null }} Run
 * @typedef {{ name: string, topics: number[] }} Group
 * @typedef {{ id: string, text: string | null, n_judged: number | null, n_relevant: number | null }} Topic
 * @typedef {{ run: number, measure: number, mean: number | null, low: number | null, high: number | null,
 *   topics: number }} Mean
 * @typedef {{ run: number, measure: number, reading: string, mean: number | null }} Reading
 * @typedef {{ difference: number | null, low: number | null, high: number | null, p: number | null,
 *   corrected_p: number | null, differ: boolean | null, wins: number, ties: number, losses: number,
 *   simultaneous_low: number | null, simultaneous_high: number | null, test: string | null,
 *   depends_on_unjudged: boolean | null, if_relevant: number | null }} Pair
 * @typedef {import("./unpacking.js").PackedNumbers} PackedNumbers
 * @typedef {import("./unpacking.js").PackedList} PackedList
 * @typedef {{
 *   about: { baseline: number | null, main_pair: number[] | null, confidence: number,
 *     test: string, how_tested: string | null, depth: number, coverage: string | null, complete: boolean,
 *     level: number | null, grades?: number[], qrels: { path: string | null }, options: string[],
 *     run_files: { path: string | null }[] },
 *   measures: Measure[], runs: Run[], names: { factors: Record<string, (string | null)[]> }, groups: Group[], topics: Topic[], means: Mean[], readings: Reading[],
 *   ranked: { runs: number[], best: number[] }[], letters: (string[] | null)[] | null,
 *   rank_sets: ({ rank_low: number[], rank_high: number[], tier: number[] } | null)[],
 *   verdicts: (string[] | null)[], pairs: { columns: string[], rows: any[][] },
 *   judged_among_retrieved: { at: (number | null)[], within: (number | null)[] }[],
 *   found_alone: { group: string, runs: number, documents: number, alone: number, judged_alone: number,
 *     relevant_alone: number }[],
 *   bounds: { measure: number, run: number, mean: number, low: number, high: number }[],
 *   rbo?: { p: number, means: (number | null)[], values: PackedNumbers },
 *   values: PackedNumbers, in_common: PackedNumbers, n_first: PackedNumbers,
 *   texts: PackedList, rankings: PackedList }} Data
 */

/** @type {Data} */
export const data = JSON.parse(byId("data").textContent ?? "");

export const { baseline, depth } = data.about;

/** Whether the report contains rankings: one of score files does not. */
export const hasRankings = data.judged_among_retrieved.length > 0;

/** @param {number} run @param {number} measure */
function place(run, measure) {
  return run * data.measures.length + measure;
}

/** @type {Mean[]} */
const means = [];
for (const row of data.means) means[place(row.run, row.measure)] = row;

/** @type {Map<string, number | null>} */
const readings = new Map();
for (const row of data.readings) readings.set(`${row.reading} ${place(row.run, row.measure)}`, row.mean);

/** @param {number} run @param {number} measure @returns {Mean} */
export function meanOf(run, measure) {
  return means[place(run, measure)] ?? { run, measure, mean: null, low: null, high: null, topics: 0 };
}

/** @param {number} run @param {number} measure @param {string} reading */
export function readingOf(run, measure, reading) {
  return readings.get(`${reading} ${place(run, measure)}`) ?? null;
}

const column = Object.fromEntries(data.pairs.columns.map((name, index) => [name, index]));
const pairs = new Map(
  data.pairs.rows.map((row) => [`${row[column.measure]} ${row[column.first]} ${row[column.second]}`, row]),
);

/**
 * The comparison of the first run with the second, or null if they were not compared. The file contains each pair once.
 *
 * @param {number} measure
 * @param {number} first
 * @param {number} second
 * @returns {Pair | null}
 */
export function pairOf(measure, first, second) {
  const row = pairs.get(`${measure} ${first} ${second}`);
  if (row) return /** @type {any} */ (Object.fromEntries(data.pairs.columns.map((name, index) => [name, row[index]])));
  const turned = pairs.has(`${measure} ${second} ${first}`) ? pairOf(measure, second, first) : null;
  return (
    turned && {
      ...turned,
      difference: negative(turned.difference),
      low: negative(turned.high),
      high: negative(turned.low),
      simultaneous_low: negative(turned.simultaneous_high),
      simultaneous_high: negative(turned.simultaneous_low),
      wins: turned.losses,
      losses: turned.wins,
      if_relevant: negative(turned.if_relevant),
    }
  );
}

/** The interval that goes with the correction: for all pairs at once, or of the pair alone. @param {Pair} pair */
export function shownInterval({ low, high, simultaneous_low: least, simultaneous_high: most }) {
  return least === null || most === null ? { low, high } : { low: least, high: most };
}

/** @param {number | null} value */
function negative(value) {
  return value === null ? null : 0 - value;
}

const values = await unpackedNumbers(data.values);
/** @type {Map<number, (number | null)[]>} */
const valuesByTopic = new Map();

/** A run's values by topic; null where it has none. @param {number} measure @param {number} run */
export function valuesOf(measure, run) {
  const [, nRuns, nTopics] = data.values.shape;
  const at = measure * nRuns + run;
  const found =
    valuesByTopic.get(at) ??
    Array.from(values.subarray(at * nTopics, (at + 1) * nTopics), (value) => (Number.isNaN(value) ? null : value));
  valuesByTopic.set(at, found);
  return found;
}

/**
 * The differences of two runs by topic; null where one of them has no value.
 *
 * @param {number} measure
 * @param {number} first
 * @param {number} second
 */
export function differencesOf(measure, first, second) {
  const others = valuesOf(measure, second);
  return valuesOf(measure, first).map((value, topic) => {
    const other = others[topic];
    return value === null || other === null ? null : value - other;
  });
}

/**
 * The difference of the means of two runs; null if they have values for different topics.
 *
 * @param {number} measure
 * @param {number} first
 * @param {number} second
 */
export function differenceOfMeans(measure, first, second) {
  const [mean, other] = [first, second].map((run) => meanOf(run, measure).mean);
  const others = valuesOf(measure, second);
  const isSame = valuesOf(measure, first).every((value, topic) => (value === null) === (others[topic] === null));
  return isSame && mean !== null && other !== null ? mean - other : null;
}

/**
 * The place of a pair of runs among all pairs: 0 and 1, 0 and 2, ..., 1 and 2, ...
 *
 * @param {number} first
 * @param {number} second
 */
export function placeOfPair(first, second) {
  const [a, b] = first < second ? [first, second] : [second, first];
  return (a * (2 * data.runs.length - a - 1)) / 2 + b - a - 1;
}

const overlaps = data.rbo ? await unpackedNumbers(data.rbo.values) : null;

/**
 * The rank-biased overlap of two runs: by topic, null where one of them has no results, and the mean. The result is
 * null if the report does not contain it: it was not requested, or it was computed for the pairs with the baseline only.
 *
 * @param {number} first
 * @param {number} second
 */
export function overlapOf(first, second) {
  if (!data.rbo || !overlaps || (baseline !== null && first !== baseline && second !== baseline)) return null;
  const other = first === baseline ? second : first;
  const pair = baseline === null ? placeOfPair(first, second) : other - Number(other > baseline);
  const nTopics = data.topics.length;
  const byTopic = Array.from(overlaps.subarray(pair * nTopics, (pair + 1) * nTopics), (value) =>
    Number.isNaN(value) ? null : value,
  );
  return { p: data.rbo.p, byTopic, mean: data.rbo.means[pair] };
}

/** How to turn values of a measure so that more is better, as far as it says what is better. @param {number} measure */
export function direction(measure) {
  return data.measures[measure].higher_is_better === false ? -1 : 1;
}

/** Whether a difference speaks for the first run: 1, -1, or 0. @param {number} measure @param {number} difference */
export function favours(measure, difference) {
  return Math.sign(difference) * direction(measure);
}

/** The runs from best to worst by a measure, those without a value last. @param {number} measure */
export function ranked(measure) {
  return data.ranked[measure].runs;
}
