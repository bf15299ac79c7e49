/** Small pictures that stand beside numbers: bars, intervals, badges. Each has a text that says the same. */

import { html, svg } from "./elements.js";
import { percent, written } from "./numbers.js";

/**
 * Where a value stands between two limits, in percent.
 *
 * @param {number} value
 * @param {number} from
 * @param {number} to
 */
export function part(value, from, to) {
  return to > from ? Math.min(100, Math.max(0, (100 * (value - from)) / (to - from))) : 0;
}

/**
 * A value as a bar from zero, with its interval as a line, and another value as a mark across.
 *
 * @param {{ value: number | null, low: number | null, high: number | null, from: number, to: number,
 *   reference?: number | null, marks?: { value: number | null, className: string }[] }} what
 */
export function bar({ value, low, high, from, to, reference = null, marks = [] }) {
  const x = (/** @type {number} */ at) => `${part(at, from, to)}%`;
  const zero = Math.min(Math.max(0, from), to);
  const text =
    value === null
      ? "no value"
      : `${written(value)}${low === null || high === null ? "" : `, interval ${written(low)} to ${written(high)}`}`;
  const picture = svg("svg", { class: "bar", role: "img", "aria-label": text, height: 14, width: "100%" });
  picture.append(svg("line", { class: "track", x1: 0, x2: "100%", y1: 7, y2: 7 }));
  if (value !== null) {
    const start = part(Math.min(zero, value), from, to);
    const size = part(Math.max(zero, value), from, to) - start;
    picture.append(svg("rect", { class: "filled", x: `${start}%`, width: `${size}%`, y: 3, height: 8, rx: 1.5 }));
  }
  if (low !== null && high !== null) {
    picture.append(
      svg("line", { class: "whisker", x1: x(low), x2: x(high), y1: 7, y2: 7 }),
      svg("line", { class: "whisker", x1: x(low), x2: x(low), y1: 4, y2: 10 }),
      svg("line", { class: "whisker", x1: x(high), x2: x(high), y1: 4, y2: 10 }),
    );
  }
  if (reference !== null) {
    picture.append(svg("line", { class: "reference", x1: x(reference), x2: x(reference), y1: 0, y2: 14 }));
  }
  for (const mark of marks) {
    if (mark.value !== null) picture.append(svg("circle", { class: mark.className, cx: x(mark.value), cy: 7, r: 3 }));
  }
  return picture;
}

/** A share of a whole. @param {number | null} share @param {string} of */
export function shareBar(share, of) {
  const picture = svg("svg", {
    class: "bar share",
    role: "img",
    "aria-label": `${percent(share)} ${of}`,
    height: 8,
    width: "100%",
  });
  picture.append(svg("rect", { class: "empty", x: 0, y: 0, width: "100%", height: 8, rx: 2 }));
  if (share) picture.append(svg("rect", { class: "filled", x: 0, y: 0, width: `${100 * share}%`, height: 8, rx: 2 }));
  return picture;
}

/**
 * A difference to the left or the right of nothing.
 *
 * @param {number} difference
 * @param {number} most the greatest that is shown beside it
 * @param {number} favour whom it speaks for: 1 for the first, -1 for the second
 */
export function differenceBar(difference, most, favour) {
  const size = most ? (50 * Math.abs(difference)) / most : 0;
  const className = favour > 0 ? "gain" : favour < 0 ? "loss" : "tie";
  return svg(
    "svg",
    { class: "bar difference", "aria-hidden": "true", height: 12, width: "100%" },
    svg("line", { class: "zero", x1: "50%", x2: "50%", y1: 0, y2: 12 }),
    svg("rect", {
      class: className,
      x: `${difference < 0 ? 50 - size : 50}%`,
      width: `${size}%`,
      y: 2,
      height: 8,
      rx: 1.5,
    }),
  );
}

/** Wins, ties and losses as one bar. @param {{ wins: number, ties: number, losses: number, all: number }} counts */
export function countsBar({ wins, ties, losses, all }) {
  const share = (/** @type {number} */ number) => (all ? (100 * number) / all : 0);
  const text = `${wins} better, ${ties} tied, ${losses} worse`;
  return html(
    "div",
    { class: "counts" },
    svg(
      "svg",
      { class: "bar", role: "img", "aria-label": text, width: "100%", height: 10 },
      svg("rect", { class: "gain", x: 0, width: `${share(wins)}%`, height: 10 }),
      svg("rect", { class: "tie", x: `${share(wins)}%`, width: `${share(ties)}%`, height: 10 }),
      svg("rect", { class: "loss", x: `${share(wins + ties)}%`, width: `${share(losses)}%`, height: 10 }),
    ),
    html(
      "p",
      { class: "sides" },
      html("span", { class: "gain" }, `${wins} better`),
      html("span", {}, `${ties} tied`),
      html("span", { class: "loss" }, `${losses} worse`),
    ),
  );
}

/** How many runs have a colour of their own; the number on the badge tells all of them apart. */
const N_COLOURS = 6;

/** @param {number} place the run's place among those chosen, from 0 */
export function colourOf(place) {
  return `run-${(place % N_COLOURS) + 1}`;
}

/** The number of a chosen run. @param {number} place */
export function badge(place) {
  return html("span", { class: `badge ${colourOf(place)}`, "aria-hidden": "true" }, place + 1);
}
