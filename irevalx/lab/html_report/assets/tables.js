/** Tables that can be sorted by a press on their heads. */

import { data } from "./data.js";
import { button, html, shortName } from "./elements.js";
import { badge } from "./pictures.js";
import { tableTools } from "./saving.js";

/** @typedef {{ key: string, down: boolean }} Order */

/** What stands in the address, such as "map down". @param {string} text @returns {Order} */
export function orderOf(text) {
  const at = text.lastIndexOf(" ");
  return { key: text.slice(0, at), down: text.slice(at + 1) !== "up" };
}

/**
 * The head of a column that sorts: the first press sorts in the way most wanted, the next ones turn it round.
 *
 * @param {{ key: string, label: import("./elements.js").Child, order: Order, sort: (order: string) => void,
 *   downFirst?: boolean, title?: string, className?: string }} what
 */
export function sortingHead({ key, label, order, sort, downFirst = true, title, className }) {
  const own = order.key === key;
  const down = own ? !order.down : downFirst;
  const press = () => {
    sort(`${key} ${down ? "down" : "up"}`);
    heads.get(key)?.focus();
  };
  const head = button(
    { class: "sort", title },
    press,
    label,
    html("span", { class: "arrow", "aria-hidden": "true" }, !own ? "↕" : order.down ? "↓" : "↑"),
  );
  heads.set(key, head);
  const direction = order.down ? "descending" : "ascending";
  return html("th", { scope: "col", class: className, "aria-sort": own ? direction : "none" }, head);
}

/** The heads as drawn last: a table that is drawn again gives the focus back. @type {Map<string, HTMLButtonElement>} */
const heads = new Map();

/**
 * The heads of columns; one without a word stands above pictures.
 *
 * @param {...import("./elements.js").Child} labels
 */
export function columnHeads(...labels) {
  const cells = labels.map((label) => {
    if (label instanceof HTMLTableCellElement) return label;
    return label === "" ? html("td") : html("th", { scope: "col" }, label);
  });
  return html("thead", {}, html("tr", {}, ...cells));
}

/**
 * A row with its head; what is no cell yet becomes one, and what is missing is left out.
 *
 * @param {import("./elements.js").Attributes} attributes
 * @param {import("./elements.js").Child[]} head
 * @param {...import("./elements.js").Child} cells
 */
export function row(attributes, head, ...cells) {
  const found = cells.filter((cell) => cell !== null && cell !== undefined && cell !== false);
  return html(
    "tr",
    attributes,
    html("th", { scope: "row" }, ...head),
    ...found.map((cell) => (cell instanceof HTMLTableCellElement ? cell : html("td", {}, cell))),
  );
}

/** The name of a run, with its number if it is chosen. @param {number} run @param {number[]} chosen */
export function runName(run, chosen) {
  const place = chosen.indexOf(run);
  return html("span", { class: "run" }, place >= 0 && badge(place), shortName(data.runs[run]));
}

/**
 * Compare two values, those that are missing last.
 *
 * @param {string | number | null} a
 * @param {string | number | null} b
 * @param {boolean} down
 */
export function compared(a, b, down) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === "string" ? a.localeCompare(String(b), "en", { numeric: true }) : a - Number(b);
  return down ? -order : order;
}

/**
 * Put a table where it can be scrolled sideways on a narrow screen, also with the keyboard, with buttons that save it.
 *
 * @param {HTMLTableElement} table
 * @param {string} label
 * @param {() => HTMLTableElement} whole the table to save, if the page shows only a part of it
 */
export function scrolling(table, label, whole = () => table) {
  return html(
    "div",
    {},
    html("div", { class: "scrolling", role: "group", "aria-label": label, tabindex: 0 }, table),
    tableTools(label, whole),
  );
}
