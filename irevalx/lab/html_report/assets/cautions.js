/** Conclusions that depend on unjudged documents. */

import { data } from "./data.js";
import { html } from "./elements.js";
import { link } from "./state.js";

/** The mark of conclusions that depend on unjudged documents; Python writes the same one. */
export const CAUTION = "†";

/**
 * The mark of a conclusion on two runs as a link to their unjudged documents.
 *
 * @param {number[]} runs
 * @param {number} measure
 * @param {string} caution what would change the conclusion; "" if nothing would
 */
export function cautionBadge(runs, measure, caution) {
  if (!caution) return null;
  const badge = link({ runs, measure, topic: null, document: null, at: "unjudged" }, CAUTION);
  badge.className = "caution";
  badge.title = `${caution} (click for the documents)`;
  badge.append(html("span", { class: "unseen" }, ` unjudged documents of these runs`));
  return badge;
}

const MEANING = "the conclusion depends on unjudged documents";
const DEPENDS = data.pairs.columns.indexOf("depends_on_unjudged");

/** What the mark means, for the note below a table; "" if no conclusion has it. */
export const cautionNote = data.pairs.rows.some((pair) => pair[DEPENDS]) ? ` ${CAUTION}: ${MEANING}.` : "";

/**
 * How a conclusion would change with the judgments that are missing; "" if it does not depend on them.
 *
 * @param {import("./data.js").Pair} pair
 * @param {string[]} names of both runs
 */
export function cautionOf({ depends_on_unjudged: depends, if_relevant: sign }, names) {
  if (!depends) return "";
  if (sign === null) return `${MEANING}: a run has no judged documents`;
  const changed = sign === 0 ? "the runs would not be" : `${names[sign > 0 ? 0 : 1]} would be`;
  const verdict = sign === 0 ? "significantly different" : "significantly better";
  return `${MEANING}: if they were relevant half as often as judged documents, ${changed} ${verdict}`;
}
