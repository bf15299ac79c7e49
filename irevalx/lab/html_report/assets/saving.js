/** Saving what the page shows: tables as Markdown, CSV or JSON, figures as SVG or PNG, and links to a view. */

import { button, html, readable, svg } from "./elements.js";

/** Elements that are no content of a cell or a figure. */
const SKIPPED = "svg, input, .arrow, .more, .badge, .tip, .tools, .summary, .unseen, .mark[aria-pressed=false]";

/** @param {Blob} content @param {string} name */
export function saveAs(content, name) {
  const address = URL.createObjectURL(content);
  const anchor = html("a", { href: address, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** @param {string} text */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without permission, for example in a notebook: the older way.
    const area = html("textarea", {}, text);
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

/**
 * A button that copies a text and reports it.
 *
 * @param {string} label
 * @param {string} description
 * @param {() => string} text
 */
export function copyButton(label, description, text) {
  const element = button(
    { class: "tool", title: description },
    async () => {
      await copyText(text());
      element.textContent = "Copied";
      setTimeout(() => (element.textContent = label), 1500);
    },
    label,
  );
  return element;
}

/** @param {string} label */
function fileName(label) {
  return label
    .toLowerCase()
    .replace(/[^a-z0-9@.]+/g, "-")
    .replace(/^-|-$/g, "");
}

/**
 * The text of an element as displayed, with whole names in place of short ones.
 *
 * @param {Element} element
 * @returns {string}
 */
function cellText(element) {
  if (element.matches("bdi[title]")) return element.getAttribute("title") ?? "";
  if (element.querySelector(":scope > mark")) return element.textContent ?? "";
  const parts = [...element.childNodes].map((node) => {
    if (!(node instanceof Element)) return (node.textContent ?? "").trim();
    if (node.matches(SKIPPED)) return "";
    return node.matches(".grade") ? `[${cellText(node)}]` : cellText(node);
  });
  const text = parts.filter(Boolean).join(" ");
  return text.replaceAll(/([[(]) /g, "$1").replaceAll(/ ([\]),])/g, "$1");
}

/** @typedef {string | number | boolean | null} Value */

/**
 * The values of a cell by name: its number or text has the name "", other parts have their own.
 *
 * @param {HTMLTableCellElement} cell
 * @returns {Record<string, Value>}
 */
function partsOf(cell) {
  /** @type {Record<string, Value>} */
  const values = {};
  const copied = /** @type {HTMLTableCellElement} */ (cell.cloneNode(true));
  for (const part of copied.querySelectorAll("[data-part]")) {
    values[part.getAttribute("data-part") ?? ""] = cellValue(part);
    part.remove();
  }
  for (const interval of copied.querySelectorAll(".interval")) {
    const [low, high] = [...interval.querySelectorAll("data")].map((end) => Number(end.value));
    Object.assign(values, { low: low ?? null, high: high ?? null });
    interval.remove();
  }
  const own = cellValue(copied);
  return own === null && Object.keys(values).length ? values : { "": own, ...values };
}

/** @param {Element} element @returns {Value} */
function cellValue(element) {
  const data = element.querySelectorAll("data");
  if (data.length === 1) return Number(data[0].value);
  const text = cellText(element);
  if (text === "" || text === "–") return null;
  const isName = element.matches("th") || element.querySelector("bdi") !== null;
  return !isName && /^[\d,]+$/.test(text) ? Number(text.replaceAll(",", "")) : text;
}

/** The text of a head without further lines. @param {HTMLTableCellElement} cell */
function headText(cell) {
  const copied = /** @type {HTMLTableCellElement} */ (cell.cloneNode(true));
  for (const line of copied.querySelectorAll(".beside")) line.remove();
  return cellText(copied);
}

/**
 * The cells of a table without those that contain pictures only. Tags next to a name have columns of their own.
 *
 * @param {HTMLTableElement} table
 */
function cellsOf(table) {
  const copied = /** @type {HTMLTableElement} */ (table.cloneNode(true));
  const rows = [...copied.rows].filter((row) => !row.matches(".detail"));
  const tags = /** @type {HTMLElement[]} */ ([...copied.querySelectorAll("[data-column]")]);
  for (const name of new Set(tags.map((tag) => tag.dataset.column ?? ""))) {
    for (const row of rows) {
      const tag = row.querySelector(`[data-column="${name}"]`);
      row.cells[0].after(row.matches("thead tr") ? html("th", {}, name) : html("td", {}, tag));
    }
  }
  return rows.map((row) => [...row.cells].filter((cell) => !cell.matches(".picture, .between, thead td")));
}

/** A table as records with unrounded numbers. @param {HTMLTableElement} table */
export function recordsOf(table) {
  const [heads, ...rows] = cellsOf(table);
  const names = heads.map(headText);
  const values = rows.map((row) => row.map(partsOf));
  const columns = names.flatMap((name, index) => {
    const parts = new Set(values.flatMap((row) => Object.keys(row[index] ?? {})));
    return [...parts].map((part) => ({ index, part, name: [name, part].filter(Boolean).join(" ") }));
  });
  return values.map((row) =>
    Object.fromEntries(columns.map(({ index, part, name }) => [name, row[index]?.[part] ?? null])),
  );
}

/** @param {HTMLTableElement} table */
export function markdownOf(table) {
  const escaped = (/** @type {string} */ text) => text.replaceAll("|", "\\|");
  const [first, ...others] = cellsOf(table);
  const heads = first.map(headText).map(escaped);
  const rows = others.map((row) => row.map(cellText).map(escaped));
  const rule = heads.map((_, index) => (index ? "---:" : "---"));
  return [heads, rule, ...rows].map((row) => `| ${row.join(" | ")} |\n`).join("");
}

/** @param {Record<string, Value>[]} records */
function csvOf(records) {
  const field = (/** @type {Value} */ value) => {
    const text = String(value ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const rows = [Object.keys(records[0] ?? {}), ...records.map(Object.values)];
  return rows.map((row) => `${row.map(field).join(",")}\r\n`).join("");
}

/**
 * Buttons that copy or download a table.
 *
 * @param {string} label
 * @param {() => HTMLTableElement} table
 */
export function tableTools(label, table) {
  const save = (/** @type {string} */ ending, /** @type {() => string} */ text) =>
    button(
      { class: "tool", title: `download the table "${label}" as ${ending.toUpperCase()}` },
      () => saveAs(new Blob([text()], { type: "text/plain" }), `${fileName(label)}.${ending}`),
      ending.toUpperCase(),
    );
  return html(
    "div",
    { class: "tools" },
    copyButton("Copy as Markdown", `copy the table "${label}" as Markdown`, () => markdownOf(table())),
    save("csv", () => csvOf(recordsOf(table()))),
    save("json", () => `${JSON.stringify(recordsOf(table()), null, 1)}\n`),
  );
}

const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "vector-effect",
  "font-size",
  "font-weight",
];

/** A copy of a picture that needs no style sheet. @param {SVGSVGElement} picture */
function styled(picture) {
  const copied = /** @type {SVGSVGElement} */ (picture.cloneNode(true));
  const originals = [picture, ...picture.querySelectorAll("*")];
  [copied, ...copied.querySelectorAll("*")].forEach((element, index) => {
    const style = getComputedStyle(originals[index]);
    for (const name of STYLES) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
  });
  return copied;
}

/**
 * A figure of the page as one SVG picture, with its labels.
 *
 * @param {HTMLElement} figure
 */
export function standalone(figure) {
  const MARGIN = 12;
  const frame = figure.getBoundingClientRect();
  const end = figure.querySelector(".tools")?.getBoundingClientRect().y ?? frame.bottom;
  const [width, height] = [frame.width + 2 * MARGIN, end - frame.y + 2 * MARGIN];
  const at = (/** @type {DOMRect} */ { x, y }) => ({ x: x - frame.x + MARGIN, y: y - frame.y + MARGIN });
  const paper = getComputedStyle(document.body).backgroundColor;
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  picture.append(svg("rect", { width, height, fill: paper }));
  for (const part of figure.querySelectorAll("svg")) {
    const box = part.getBoundingClientRect();
    const copied = styled(part);
    const size = { ...at(box), width: box.width, height: box.height, overflow: "visible" };
    for (const [name, value] of Object.entries(size)) copied.setAttribute(name, String(value));
    picture.append(copied);
  }
  for (const mark of figure.querySelectorAll(".badge")) {
    const box = mark.getBoundingClientRect();
    const fill = getComputedStyle(mark).backgroundColor;
    picture.append(svg("rect", { ...at(box), width: box.width, height: box.height, rx: box.height / 2, fill }));
  }
  const texts = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement: parent, textContent: text } = texts.currentNode;
    if (!parent || parent.closest("svg, .tip, .tools, .unseen")) continue;
    const { color, fontSize, fontWeight, fontFamily } = getComputedStyle(parent);
    for (const { 0: word, index } of (text ?? "").matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      const box = range.getBoundingClientRect();
      const { x, y } = at(box);
      const place = { x, y: y + 0.77 * box.height, textLength: box.width };
      const font = { "font-size": fontSize, "font-weight": fontWeight, "font-family": fontFamily, fill: color };
      picture.append(svg("text", { ...place, ...font }, readable(word)));
    }
  }
  return picture;
}

/** @param {HTMLElement} figure */
function svgText(figure) {
  return new XMLSerializer().serializeToString(standalone(figure));
}

/** @param {HTMLElement} figure @param {string} name */
async function savePng(figure, name) {
  const SCALE = 2;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgText(figure))}`;
  await image.decode();
  const canvas = html("canvas", { width: SCALE * image.width, height: SCALE * image.height });
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((content) => content && saveAs(content, name), "image/png");
}

/**
 * A figure with buttons that download it.
 *
 * @param {HTMLElement} figure
 * @param {string} label
 */
export function saved(figure, label) {
  const name = fileName(label);
  const save = (/** @type {string} */ ending, /** @type {() => void} */ press) =>
    button({ class: "tool", title: `download the figure "${label}" as ${ending}` }, press, ending);
  figure.append(
    html(
      "div",
      { class: "tools" },
      save("SVG", () => saveAs(new Blob([svgText(figure)], { type: "image/svg+xml" }), `${name}.svg`)),
      save("PNG", () => savePng(figure, `${name}.png`)),
    ),
  );
  return figure;
}
