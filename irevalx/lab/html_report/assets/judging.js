/** The reader's marks on documents of a topic, and the values that the measures have with them. */

import { data, depth, meanOf, valuesOf } from "./data.js";
import { html, nameOf } from "./elements.js";
import { allMarks, marksOf, savingMarks, whenMarked } from "./marks.js";
import { figure } from "./numbers.js";
import { rankingsOf } from "./rankings.js";
import { columnHeads, row, runName, scrolling } from "./tables.js";

/** @typedef {import("./rankings.js").TopicRankings} TopicRankings */

const EXPLANATION =
  "Press a grade beside an unjudged document to mark the document; press it again to remove the mark. Marks are not " +
  "judgments: all other values, tests and figures of the report remain those of the given judgments.";

/** @param {{ rank: number, grade: number }[]} documents */
function dcg(documents) {
  return documents.reduce((sum, { rank, grade }) => sum + grade / Math.log2(rank + 1), 0);
}

/**
 * The value of a run for a topic with some documents marked; null if it depends on documents that the page does not
 * contain. The judged documents after the first ones are known as far as they are among the missed documents.
 *
 * @param {import("./data.js").Formula} formula
 * @param {TopicRankings} rankings
 * @param {number} run
 * @param {import("./marks.js").Marks} marks
 */
function computed({ name, cutoff, level }, { documents, runs, missed, grades }, run, marks) {
  const k = cutoff ?? Infinity;
  const list = runs[run] ?? [];
  const first = list.map((place, index) => {
    const { id, grade } = documents[place];
    return { rank: index + 1, grade: grade ?? marks.get(id) ?? null };
  });
  const later = missed.documents
    .map((place, index) => ({ rank: missed.ranks[index][run] ?? 0, grade: documents[place].grade }))
    .filter(({ rank }) => rank > depth)
    .sort((a, b) => a.rank - b.rank);
  const within = [...first, ...later].flatMap(({ rank, grade }) =>
    rank <= k && grade !== null ? { rank, grade } : [],
  );
  const hits = within.filter(({ grade }) => grade >= level);
  const isSettled = name.startsWith("recip_rank") && hits.length > 0 && hits[0].rank <= depth;
  const found = new Set(list.map((place) => documents[place].id));
  const isFound = [...marks].every(([id, grade]) => found.has(id) || (grade === 0 && name !== "judged"));
  if (k > depth && list.length >= depth && !isSettled && !isFound) return null;

  const ideal = grades.flatMap(([grade, number]) => Array(number).fill(grade)).concat(...marks.values());
  const nRelevant = ideal.filter((grade) => grade >= level).length;
  const best = ideal.sort((a, b) => b - a).slice(0, k);
  /** @type {Record<string, number>} */
  const byName = {
    P: hits.length / k,
    recall: hits.length / (nRelevant || 1),
    success: Math.min(hits.length, 1),
    judged: within.length / k,
    recip_rank: hits.length ? 1 / hits[0].rank : 0,
    map: hits.reduce((sum, { rank }, place) => sum + (place + 1) / rank, 0) / (nRelevant || 1),
    ndcg: dcg(within) / (dcg(best.map((grade, place) => ({ rank: place + 1, grade }))) || 1),
  };
  return byName[name.replace("_cut", "")];
}

/**
 * The value of a run for a topic with the marks; null if the page does not determine it. The formula has to give the
 * value of the report without marks: otherwise, the page lacks documents that the value depends on.
 *
 * @param {number} measure
 * @param {number} run
 * @param {number} topic
 * @param {TopicRankings} rankings
 */
function valueWithMarks(measure, run, topic, rankings) {
  const given = valuesOf(measure, run)[topic];
  const { formula } = data.measures[measure];
  if (!formula || given === null) return null;
  const same = computed(formula, rankings, run, new Map());
  if (same === null || Math.abs(same - given) > 1e-9) return null;
  return computed(formula, rankings, run, marksOf(topic));
}

/** The mean of a run with the marks of all topics; null if the page does not determine it. @param {number} measure @param {number} run */
async function meanWithMarks(measure, run) {
  const { mean, topics: number } = meanOf(run, measure);
  let change = 0;
  for (const topic of allMarks.keys()) {
    const rankings = await rankingsOf(topic);
    const given = valuesOf(measure, run)[topic];
    if (given === null && !rankings?.runs[run]?.length) continue;
    const value = rankings && valueWithMarks(measure, run, topic, rankings);
    if (value === null || given === null) return null;
    change += value - given;
  }
  return mean === null ? null : mean + change / number;
}

/** @param {TopicRankings} rankings @param {number[]} runs @param {number} topic */
async function valuesTable(rankings, runs, topic) {
  const rows = [];
  const unknown = new Set();
  for (const [measure, { title }] of data.measures.entries()) {
    for (const run of runs) {
      const value = valueWithMarks(measure, run, topic, rankings);
      const mean = await meanWithMarks(measure, run);
      if (mean === null) unknown.add(nameOf(title));
      const cells = [valuesOf(measure, run)[topic], value, meanOf(run, measure).mean, mean].map((each) => figure(each));
      rows.push(row({}, [runName(run, runs)], html("bdi", {}, nameOf(title)), ...cells));
    }
  }
  const name = "Values with your marks";
  const heads = ["Run", "Measure", "Topic, given", "Topic, with marks", "Mean, given", "Mean, with marks"];
  const body = html("tbody", {}, ...rows);
  const table = html("table", { class: "marked-values" }, html("caption", {}, name), columnHeads(...heads), body);
  const names = [...unknown].join(", ");
  const note = `–: the values of ${names} with your marks depend on documents that the report does not contain.`;
  return html("div", {}, scrolling(table, name), unknown.size > 0 && html("p", { class: "note" }, note));
}

/**
 * The values with the reader's marks, and how to save these; empty if the runs have no unjudged documents.
 *
 * @param {TopicRankings} rankings
 * @param {number[]} runs
 * @param {number} topic
 */
export function judgingPart(rankings, runs, topic) {
  const lists = runs.map((run) => rankings.runs[run] ?? []);
  if (lists.flat().every((place) => rankings.documents[place].grade !== null)) return "";
  const values = html("div");
  let asked = 0;
  const show = async () => {
    asked += 1;
    const question = asked;
    const drawn = allMarks.size ? await valuesTable(rankings, runs, topic) : "";
    if (question === asked) values.replaceChildren(drawn);
  };
  return html(
    "section",
    { class: "part", "aria-labelledby": "judging-heading" },
    html("h3", { id: "judging-heading" }, "Your marks"),
    html("p", { class: "note" }, EXPLANATION),
    whenMarked(values, show),
    savingMarks(),
  );
}
