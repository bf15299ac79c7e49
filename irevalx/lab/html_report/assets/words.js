/** Query terms in texts: titles, snippets, and marks. */

import { html, readable } from "./elements.js";

const WORD = /[\p{L}\p{N}]+/gu;

/** Frequent words of English, which are not marked. */
const STOPWORDS = new Set(
  (
    "a about all also an and any are as at be been being but by can could did do does for from had has have he her his " +
    "how i if in into is it its me more most my no not of on or other our she should so some such than that the their " +
    "them then there these they this those to was we were what when where which who whose why will with would you your"
  ).split(" "),
);

/** A word without the endings of English plurals and verbs. @param {string} word */
function stem(word) {
  const lower = word.toLowerCase();
  return lower.length < 4 ? lower : lower.replace(/(?:ies|es|ed|ing|s|e|y)$/, "");
}

/**
 * The stems of the query terms: of the title of a topic, which is its first line.
 *
 * @param {string | null} text
 */
export function termsOf(text) {
  const title = (text ?? "").trim().split("\n")[0];
  const words = [...title.matchAll(WORD)].map(([word]) => word).filter((word) => !STOPWORDS.has(word.toLowerCase()));
  return new Set(words.map(stem));
}

/**
 * A text with its query terms marked.
 *
 * @param {string} text
 * @param {Set<string>} terms
 */
export function marked(text, terms) {
  /** @type {(Node | string)[]} */
  const parts = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!terms.has(stem(word))) continue;
    parts.push(readable(text.slice(end, index)), html("mark", {}, word));
    end = index + word.length;
  }
  return [...parts, readable(text.slice(end))];
}

const LONGEST_TITLE = 200;
const SNIPPET = 30; // words

/**
 * The title of a document, if its text begins with a line of its own, and the part with the most different query terms.
 *
 * @param {string} text
 * @param {Set<string>} terms
 */
export function summary(text, terms) {
  const [first, ...others] = text.trim().split("\n");
  const isTitle = others.length > 0 && first.length <= LONGEST_TITLE;
  const rest = isTitle ? others.join(" ").trim() : text.trim();
  const body = isTitle && rest.startsWith(first) ? rest.slice(first.length).trim() : rest;
  const words = [...body.matchAll(WORD)].map(({ 0: word, index }) => ({
    index,
    end: index + word.length,
    stem: stem(word),
  }));
  const starts = words.flatMap((word, place) => (terms.has(word.stem) ? [Math.max(0, place - 3)] : []));
  const numberAt = (/** @type {number} */ start) =>
    new Set(words.slice(start, start + SNIPPET).flatMap((word) => (terms.has(word.stem) ? [word.stem] : []))).size;
  const best = starts.reduce((most, start) => (numberAt(start) > numberAt(most) ? start : most), starts[0] ?? 0);
  const last = words[Math.min(best + SNIPPET, words.length) - 1];
  const part = body.slice(best ? words[best].index : 0, last ? last.end : body.length);
  const snippet = `${best ? "… " : ""}${part}${last && last.end < body.length - 1 ? " …" : ""}`;
  return { title: isTitle ? first : null, snippet };
}
