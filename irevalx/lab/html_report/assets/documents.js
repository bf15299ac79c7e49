/** Documents of a topic: their grade, ID, title and snippet. */

import { button, html, named } from "./elements.js";
import { addressed, change, link, state } from "./state.js";
import { marked, summary } from "./words.js";

/** @typedef {import("./rankings.js").Document} Document */

/** What is known of a document, in a sign, in words and for the style sheet. @param {Document} document */
export function standing({ grade, pooled }) {
  if (grade !== null) {
    const className = grade < 0 ? "grade-below" : `grade-${Math.min(grade, 4)}`;
    return { sign: String(grade).replace("-", "\u2212"), words: `grade ${grade}`, className };
  }
  if (pooled) return { sign: "?", words: "pooled but unjudged", className: "unjudged" };
  return { sign: "○", words: "unpooled", className: "outside" };
}

/** @param {Document} document */
export function gradeSign(document) {
  const { sign, words, className } = standing(document);
  return html(
    "span",
    { class: `grade ${className}`, "data-part": "grade", title: words, role: "img", "aria-label": words },
    sign,
  );
}

/** @typedef {{ texts: Map<number, string | null>, terms: Set<string> }} Texts */

/** The title and a snippet of a document. @param {number} document @param {Texts} texts */
export function textSummary(document, { texts, terms }) {
  const text = texts.get(document);
  if (!text) return null;
  const { title, snippet } = summary(text, terms);
  return html(
    "div",
    { class: "summary", dir: "auto", "data-part": "text" },
    title !== null && html("strong", {}, ...marked(title, terms)),
    snippet && html("span", {}, ...marked(snippet, terms)),
  );
}

/** A link with the ID of a document, which opens its topic and it. @param {number} topic @param {Document} document */
export function documentLink(topic, document) {
  return link({ topic, document: document.id }, named(document.id));
}

/** A button with the ID of a document, which opens it. @param {Document} document */
export function documentButton(document) {
  const isOpen = addressed(document.id) === state().document;
  return button(
    { class: "document", "aria-pressed": isOpen ? "true" : "false" },
    () => change({ document: document.id }),
    named(document.id),
  );
}
