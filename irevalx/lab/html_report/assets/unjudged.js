/** The unjudged documents among the first documents of two runs, which can change the conclusion on them. */

import { data, depth, hasRankings } from "./data.js";
import { documentLink, gradeSign } from "./documents.js";
import { byId, counted, html, named } from "./elements.js";
import { markButtons, savingMarks } from "./marks.js";
import { rankingsOf } from "./rankings.js";
import { link, state, watch } from "./state.js";
import { columnHeads, row, runName, scrolling } from "./tables.js";

/** @typedef {{ topic: number, document: import("./rankings.js").Document, ranks: (number | null)[] }} Unjudged */

const MOST_LISTED = 50;
const NAME = `Unjudged documents among the first ${depth} of the two runs`;

const body = html("div");
const details = html("details", { id: "unjudged" }, html("summary", {}, NAME), body);

/** @param {number[]} runs @param {number[]} topics @returns {Promise<Unjudged[]>} */
async function unjudgedOf(runs, topics) {
  /** @type {Unjudged[]} */
  const found = [];
  for (const topic of topics) {
    const rankings = await rankingsOf(topic);
    if (!rankings) continue;
    const lists = runs.map((run) => rankings.runs[run] ?? []);
    for (const place of new Set(lists.flat())) {
      const document = rankings.documents[place];
      if (document.grade !== null) continue;
      const ranks = lists.map((list) => list.indexOf(place)).map((rank) => (rank < 0 ? null : rank + 1));
      found.push({ topic, document, ranks });
    }
  }
  // Documents of one run change the difference most, and the more the higher their rank.
  const isShared = (/** @type {Unjudged} */ { ranks }) => Number(!ranks.includes(null));
  const best = (/** @type {Unjudged} */ { ranks }) => Math.min(...ranks.map((rank) => rank ?? Infinity));
  return found.sort((a, b) => isShared(a) - isShared(b) || best(a) - best(b) || a.topic - b.topic);
}

/** @param {Unjudged[]} documents @param {number[]} runs */
function tableOf(documents, runs) {
  return html(
    "table",
    { class: "unjudged-documents" },
    html("caption", { class: "unseen" }, NAME),
    columnHeads(
      "Document",
      "Topic",
      "Your grade",
      ...runs.map((run) => html("th", { scope: "col" }, "Rank in ", runName(run, runs))),
    ),
    html(
      "tbody",
      {},
      ...documents.map(({ topic, document, ranks }) =>
        row(
          {},
          [gradeSign(document), " ", documentLink(topic, document)],
          link({ topic, document: null }, named(data.topics[topic].id)),
          markButtons(topic, document),
          ...ranks.map((rank) => rank ?? html("span", { class: "none" }, "–")),
        ),
      ),
    ),
  );
}

let lastAsked = 0;
let drawnFor = "";

/** @param {number[]} runs @param {number[]} topics */
async function draw(runs, topics) {
  const question = JSON.stringify([runs, topics]);
  if (!details.open || question === drawnFor) return;
  drawnFor = question;
  lastAsked += 1;
  const number = lastAsked;
  body.replaceChildren(html("p", { class: "note" }, "The rankings of the topics are being read."));
  const documents = await unjudgedOf(runs, topics);
  if (number !== lastAsked) return;
  const alone = documents.filter(({ ranks }) => ranks.includes(null)).length;
  const listed = documents.slice(0, MOST_LISTED);
  const note =
    `${counted(documents.length, "unjudged document")} of ${counted(topics.length, "topic")}, ` +
    `${alone.toLocaleString("en")} of them retrieved by only one of the two runs (listed first).` +
    (documents.length > MOST_LISTED ? ` The page lists ${MOST_LISTED}; the saved table contains all.` : "");
  body.replaceChildren(
    html("p", { class: "note" }, note),
    documents.length ? scrolling(tableOf(listed, runs), NAME, () => tableOf(documents, runs)) : "",
    savingMarks(),
  );
}

/**
 * The list of these documents, which is filled when it is opened; null if all first documents of both runs are judged.
 *
 * @param {number[]} runs
 * @param {number[]} topics
 */
export function unjudgedPart(runs, topics) {
  const isJudged = (/** @type {number} */ run) => (data.judged_among_retrieved[run].within.at(-1) ?? 1) === 1;
  if (!hasRankings || runs.every(isJudged)) return null;
  details.ontoggle = () => draw(runs, topics);
  details.open ||= state().at === "unjudged";
  draw(runs, topics);
  return details;
}

/** Open the list and move to it. */
export function showUnjudged() {
  if (!details.isConnected) return;
  details.open = true;
  byId("unjudged").scrollIntoView({ block: "center" });
  details.querySelector("summary")?.focus({ preventScroll: true });
}

export function startUnjudged() {
  watch(["at"], ({ at }) => {
    if (at === "unjudged") showUnjudged();
  });
}
