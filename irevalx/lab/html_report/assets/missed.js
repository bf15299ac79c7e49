/** Relevant documents that a selected run missed. */

import { data, depth } from "./data.js";
import { documentButton, gradeSign, textSummary } from "./documents.js";
import { counted, html, shortName } from "./elements.js";
import { columnHeads, runName, scrolling } from "./tables.js";

/** @typedef {import("./rankings.js").TopicRankings} TopicRankings */
/** @typedef {import("./documents.js").Texts} Texts */

const MOST_OTHERS = 3;

/**
 * The relevant documents that a selected run does not have among its first ones, with their ranks in all runs.
 *
 * @param {TopicRankings} rankings
 * @param {number[]} runs
 * @param {Texts} texts
 */
export function missedDocuments({ documents, missed }, runs, texts) {
  const isMissed = (/** @type {number | null} */ rank) => rank === null || rank > depth;
  const rankOf = (/** @type {number | null} */ rank) =>
    rank === null
      ? html("span", { class: "none", title: "not retrieved" }, "–")
      : html("span", { class: rank > depth ? "muted" : "ranked" }, rank);
  const others = data.runs.map((_, run) => run).filter((run) => !runs.includes(run));
  const rows = missed.documents.flatMap((place, index) => {
    const ranks = missed.ranks[index];
    if (!runs.some((run) => isMissed(ranks[run]))) return [];
    const best = others.filter((run) => ranks[run] !== null).sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
    return [
      html(
        "tr",
        {},
        html(
          "th",
          { scope: "row", class: "document" },
          html("div", {}, gradeSign(documents[place]), documentButton(documents[place])),
          textSummary(place, texts),
        ),
        ...runs.map((run) => html("td", {}, rankOf(ranks[run]))),
        others.length > 0 &&
          html(
            "td",
            { class: "others" },
            ...best
              .slice(0, MOST_OTHERS)
              .flatMap((run, number) => [number ? ", " : "", rankOf(ranks[run]), " ", shortName(data.runs[run])]),
            best.length > MOST_OTHERS && ` and ${counted(best.length - MOST_OTHERS, "more run")}`,
            !best.length && "no other run",
          ),
      ),
    ];
  });
  const notes = [];
  if (missed.n_more) {
    notes.push(
      `${counted(missed.n_more, "further document")} of this kind ${missed.n_more === 1 ? "is" : "are"} not listed.`,
    );
  }
  if (missed.n_unretrieved) {
    const verb = missed.n_unretrieved === 1 ? "is" : "are";
    notes.push(`${counted(missed.n_unretrieved, "relevant document")} ${verb} retrieved by no run.`);
  }
  if (!rows.length && !notes.length) return "";
  const title = `Relevant documents missed by a selected run`;
  const heads = [...runs.map((run) => runName(run, runs)), ...(others.length ? ["Ranks in other runs"] : [])];
  const table = html(
    "table",
    { class: "missed" },
    html("caption", { class: "unseen" }, title),
    columnHeads("Document", ...heads),
    html("tbody", {}, ...rows),
  );
  const note = `Ranks of relevant documents that a selected run does not retrieve within its first ${counted(depth, "document")}; – means that the run does not retrieve the document.`;
  return html(
    "section",
    { class: "part", "aria-labelledby": "missed-heading" },
    html("h3", { id: "missed-heading" }, title),
    rows.length > 0 && html("p", { class: "note" }, note),
    rows.length > 0 && scrolling(table, title),
    notes.length > 0 && html("p", { class: "note" }, notes.join(" ")),
  );
}
