/** Elements of HTML and SVG. What comes from files arrives as text and stays text: nothing here reads markup. */

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

/**
 * @param {Element} element
 * @param {Attributes} attributes  null, undefined and false leave an attribute out
 * @param {Child[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : String(value));
    }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map(asNode));
}

/** @param {Child} child */
function asNode(child) {
  return child instanceof Node ? child : String(child);
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function html(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

/**
 * A button that does something when pressed.
 *
 * @param {Attributes} attributes
 * @param {() => void} press
 * @param {...Child} children
 */
export function button(attributes, press, ...children) {
  const element = html("button", { type: "button", ...attributes }, ...children);
  element.addEventListener("click", press);
  return element;
}

/**
 * The element of the template with this id.
 *
 * @param {string} id
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element "${id}"`);
  return element;
}

/** Control characters have no shape of their own: those of ASCII get the picture that Unicode has for them. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g; // eslint-disable-line no-control-regex

/** @param {string} text */
export function readable(text) {
  return text.toWellFormed().replace(CONTROLS, (character) => {
    const code = character.charCodeAt(0);
    return String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
  });
}

const LONGEST_NAME = 60;

/**
 * A name from a file, in a direction of its own; of a long one the middle is left out and told on hover.
 *
 * @param {string} text
 * @param {Attributes} [attributes]
 */
export function named(text, attributes = {}) {
  const shown = readable(text);
  if (shown.length <= LONGEST_NAME) return html("bdi", attributes, shown);
  const head = [...shown.slice(0, LONGEST_NAME)].slice(0, 36).join("");
  return html("bdi", { title: shown.slice(0, 1000), ...attributes }, `${head}…${shown.slice(-16)}`);
}

/**
 * The short name of a run, with the whole name on hover.
 *
 * @param {{ name: string, short: string }} run
 */
export function shortName({ name, short }) {
  return short === name ? named(name) : named(short, { title: readable(name).slice(0, 1000) });
}

/**
 * The name as text for labels and pictures, no longer than a label may be.
 *
 * @param {string} text
 */
export function nameOf(text) {
  const shown = readable(text);
  return shown.length <= LONGEST_NAME ? shown : `${shown.slice(0, 36)}…${shown.slice(-16)}`;
}

/**
 * One of several forms of a word.
 *
 * @param {number} number
 * @param {string} one
 * @param {string} [many]
 */
export function counted(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
