/** Conclusions that depend on unjudged documents. */

import { data } from "./data.js";

/** The mark of conclusions that depend on unjudged documents; Python writes the same one. */
export const CAUTION = "†";

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
