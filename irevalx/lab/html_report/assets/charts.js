/** Pictures of all topics at once: their differences in order, and one run's values over the other's. */

import { data, favours, overlapOf, valuesOf } from "./data.js";
import { counted, html, nameOf, readable, svg } from "./elements.js";
import { ticks, written } from "./numbers.js";
import { part } from "./pictures.js";
import { saved } from "./saving.js";

/**
 * @typedef {{ runs: number[], topics: number[], measure: number, names: string[], open: (topic: number) => void,
 *   pointer: Pointer }} Shown
 */

/** The topic under the pointer, which all pictures of a pair mark. */
export class Pointer {
  /** @type {((topic: number | null) => void)[]} */
  marks = [];

  /** @param {number | null} topic */
  show(topic) {
    for (const mark of this.marks) mark(topic);
  }
}

/**
 * A picture that marks the topic under the pointer and opens it when pressed. The table of topics contains the same
 * values for readers without a pointer.
 *
 * @param {SVGSVGElement} picture
 * @param {(x: number, y: number) => number | null} topicAt  the topic at a place in parts of the picture
 * @param {(topic: number) => string} pathOf  the path of the mark of a topic
 * @param {Shown} what
 */
function pointed(picture, topicAt, pathOf, { runs, measure, names, open, pointer }) {
  const mark = svg("path", { class: "marked" });
  picture.append(mark);
  pointer.marks.push((topic) => mark.setAttribute("d", topic === null ? "" : pathOf(topic)));
  const tip = html("div", { class: "tip", "aria-hidden": "true" });
  const frame = html("div", { class: "plot" }, picture, tip);
  const topicUnder = (/** @type {MouseEvent} */ event) => {
    const box = picture.getBoundingClientRect();
    return topicAt((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  };
  picture.addEventListener("pointermove", (event) => {
    const topic = topicUnder(event);
    tip.classList.toggle("shown", topic !== null);
    pointer.show(topic);
    if (topic === null) return;
    const box = picture.getBoundingClientRect();
    const x = event.clientX - box.left;
    tip.replaceChildren(...topicLines(topic, measure, runs, names));
    tip.classList.toggle("left", x > box.width / 2);
    tip.style.setProperty("left", `${x}px`);
    tip.style.setProperty("top", `${event.clientY - box.top}px`);
  });
  picture.addEventListener("pointerleave", () => {
    tip.classList.remove("shown");
    pointer.show(null);
  });
  picture.addEventListener("click", (event) => {
    const topic = topicUnder(event);
    if (topic !== null) open(topic);
  });
  return frame;
}

const LONGEST_TEXT = 160;

/** What the tip displays of a topic. @param {number} topic @param {number} measure @param {number[]} runs @param {string[]} names */
function topicLines(topic, measure, runs, names) {
  const { id, text } = data.topics[topic];
  const [first, second] = runs.map((run) => valuesOf(measure, run)[topic]);
  const words = readable(text ?? "");
  const difference = first === null || second === null ? null : first - second;
  const overlap = overlapOf(runs[0], runs[1])?.byTopic[topic] ?? null;
  return [
    html("strong", {}, `Topic ${nameOf(id)}`),
    words && html("div", {}, words.length > LONGEST_TEXT ? `${words.slice(0, LONGEST_TEXT)} …` : words),
    html("div", {}, `${names[0]} ${written(first)}, ${names[1]} ${written(second)}`),
    html("div", {}, `difference ${written(difference, { signed: true })}`),
    overlap !== null && html("div", {}, `RBO ${written(overlap)}`),
  ].filter((line) => line instanceof Node);
}

/** @param {number[]} at @param {number} decimals @param {number} from @param {number} to @param {"x" | "y"} axis */
export function labels(at, decimals, from, to, axis) {
  const spans = at.map((value) => {
    const span = html("span", {}, written(value, { decimals, signed: from < 0 }));
    const place = part(value, from, to);
    span.style.setProperty(axis === "x" ? "left" : "bottom", `${place}%`);
    return span;
  });
  return html("div", { class: `labels ${axis}`, "aria-hidden": "true" }, ...spans);
}

const HEIGHT = 100;

/**
 * The values of topics as bars in order; topics that are not chosen stay as a shadow.
 *
 * @param {Shown} what
 * @param {{ values: (number | null)[], order: number[], from: number, to: number, kindOf: (topic: number) => string,
 *   title: string, text: string, className?: string }} bars
 */
function barsChart(what, { values, order, from, to, kindOf, title, text, className = "" }) {
  const y = (/** @type {number} */ value) => (HEIGHT * (to - value)) / (to - from);
  const chosen = new Set(what.topics);
  /** @type {Record<string, string[]>} */
  const paths = { gain: [], loss: [], tie: [], shadow: [] };
  order.forEach((topic, place) => {
    const kind = chosen.has(topic) ? kindOf(topic) : "shadow";
    const gap = order.length < 400 ? 0.1 : 0;
    paths[kind].push(`M${place + gap} ${y(0)}V${y(values[topic] ?? 0).toFixed(3)}h${1 - 2 * gap}V${y(0)}z`);
  });
  const { at, decimals } = ticks(from, to, 5);
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${Math.max(order.length, 1)} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": text,
      class: `differences ${className}`,
    },
    ...at.map((value) =>
      svg("line", { class: value === 0 ? "zero" : "grid", x1: 0, x2: order.length, y1: y(value), y2: y(value) }),
    ),
    ...Object.entries(paths).map(([kind, path]) => svg("path", { class: kind, d: path.join("") })),
  );
  const topicAt = (/** @type {number} */ x) => order[Math.floor(x * order.length)] ?? null;
  const pathOf = (/** @type {number} */ topic) => {
    const place = order.indexOf(topic);
    return place < 0 ? "" : `M${place} 0h1V${HEIGHT}h-1z`;
  };
  return saved(
    html(
      "figure",
      { class: "chart wide" },
      html("figcaption", {}, title),
      html("div", { class: "axes" }, labels(at, decimals, from, to, "y"), pointed(picture, topicAt, pathOf, what)),
    ),
    title,
  );
}

/**
 * The differences of the topics, greatest gain first.
 *
 * @param {Shown & { differences: (number | null)[] }} what
 */
export function differencesChart({ differences, ...what }) {
  const { measure, names } = what;
  const order = data.topics.map((_, topic) => topic).filter((topic) => differences[topic] !== null);
  const of = (/** @type {number} */ topic) => differences[topic] ?? 0;
  order.sort((a, b) => of(b) - of(a) || a - b);
  const from = Math.min(0, of(order.at(-1) ?? 0));
  const to = Math.max(from < 0 ? 0 : 1e-9, of(order[0] ?? 0));
  const kindOf = (/** @type {number} */ topic) => {
    const sign = favours(measure, of(topic));
    return sign > 0 ? "gain" : sign < 0 ? "loss" : "tie";
  };
  const [gains, losses] = ["gain", "loss"].map((kind) => order.filter((topic) => kindOf(topic) === kind).length);
  const sides = `${names[0]} is better on ${gains}, ${names[1]} on ${losses}`;
  const most = written(Math.max(to, -from));
  return barsChart(what, {
    ...{ values: differences, order, from, to, kindOf },
    title: `Per-topic differences in ${data.measures[measure].title} in descending order`,
    text: `Differences for ${counted(order.length, "topic")} in order: ${sides}; the largest is ${most}.`,
  });
}

/**
 * The rank-biased overlaps of the topics, in order.
 *
 * @param {Shown & { overlaps: (number | null)[], order: number[] }} what
 */
export function overlapsChart({ overlaps, order, ...what }) {
  const title = `Rank-biased overlap of ${what.names[0]} and ${what.names[1]} by topic in ascending order`;
  return barsChart(what, {
    ...{ values: overlaps, order, from: 0, to: 1, kindOf: () => "tie", title, className: "low" },
    text: `${title}: ${counted(order.length, "topic")}. The table of topics contains the values.`,
  });
}

/** @typedef {{ topic: number, x: number, y: number, shadow: boolean, at: { x: number, y: number } }} Point */

/** A place moved by an offset, or by the opposite if that leaves the picture. @param {number} at @param {number} offset */
function inside(at, offset) {
  return at + offset < 0 || at + offset > 100 ? at - offset : at + offset;
}

/** Spread points with equal values around their place, so that each can be seen. @param {Point[]} points */
function spread(points) {
  const DISTANCE = 1.7; // percent of the picture
  const TURN = 2.4; // radians: the golden angle, at which points on a spiral cover its area evenly
  /** @type {Map<string, Point[]>} */
  const equal = new Map();
  for (const point of points) {
    const key = `${point.at.x.toFixed(2)} ${point.at.y.toFixed(2)}`;
    const others = equal.get(key) ?? [];
    others.push(point);
    equal.set(key, others);
  }
  for (const group of equal.values()) {
    group.forEach(({ at }, index) => {
      const distance = DISTANCE * Math.sqrt(index);
      at.x = inside(at.x, distance * Math.cos(TURN * index));
      at.y = inside(at.y, distance * Math.sin(TURN * index));
    });
  }
  return [...equal.values()].some((group) => group.length > 1);
}

/**
 * The value of the first run over the value of the second, a point for each topic.
 *
 * @param {Shown} what
 */
export function scatterChart(what) {
  const { runs, topics, measure, names } = what;
  const [ofFirst, ofSecond] = runs.map((run) => valuesOf(measure, run));
  const chosen = new Set(topics);
  const points = data.topics.flatMap((_, topic) => {
    const [y, x] = [ofFirst[topic], ofSecond[topic]];
    return x === null || y === null ? [] : [{ topic, x, y, shadow: !chosen.has(topic), at: { x: 0, y: 0 } }];
  });
  const all = points.flatMap(({ x, y }) => [x, y]);
  const from = all.reduce((least, value) => Math.min(least, value), 0);
  const to = all.reduce((most, value) => Math.max(most, value), 1e-9);
  const place = (/** @type {number} */ value) => part(value, from, to);
  /** @type {Record<string, string[]>} */
  const paths = { shadow: [], tie: [], loss: [], gain: [] };
  for (const point of points) point.at = { x: place(point.x), y: 100 - place(point.y) };
  const hasEqual = spread(points);
  const byTopic = new Map(points.map((point) => [point.topic, point]));
  const pathOf = (/** @type {number} */ topic) => {
    const point = byTopic.get(topic);
    return point ? `M${point.at.x.toFixed(2)} ${point.at.y.toFixed(2)}h0` : "";
  };
  for (const { topic, x, y, shadow } of points) {
    const sign = favours(measure, y - x);
    const kind = shadow ? "shadow" : sign > 0 ? "gain" : sign < 0 ? "loss" : "tie";
    paths[kind].push(pathOf(topic));
  }
  const { at, decimals } = ticks(from, to, 5);
  const ofBoth = `${data.measures[measure].title}: ${names[0]} against ${names[1]}`;
  const picture = svg(
    "svg",
    {
      viewBox: "0 0 100 100",
      role: "img",
      class: points.length > 500 ? "scatter many" : "scatter",
      "aria-label": `${ofBoth} for ${counted(points.length, "topic")}; above the diagonal, ${names[0]} is higher.`,
    },
    ...at.flatMap((value) => [
      svg("line", { class: "grid", x1: 0, x2: 100, y1: 100 - place(value), y2: 100 - place(value) }),
      svg("line", { class: "grid", x1: place(value), x2: place(value), y1: 0, y2: 100 }),
    ]),
    svg("line", { class: "zero", x1: 0, x2: 100, y1: 100, y2: 0 }),
    ...Object.entries(paths).map(([kind, path]) => svg("path", { class: `dots ${kind}`, d: path.join("") })),
  );
  const REACH = 5; // percent of the picture
  const topicAt = (/** @type {number} */ x, /** @type {number} */ y) => {
    let [nearest, distance] = [/** @type {number | null} */ (null), REACH];
    for (const point of points) {
      const away = Math.hypot(point.at.x - 100 * x, point.at.y - 100 * y);
      if (away < distance) [nearest, distance] = [point.topic, away];
    }
    return nearest;
  };
  return saved(
    html(
      "figure",
      { class: "chart square" },
      html(
        "figcaption",
        {},
        `${data.measures[measure].title} by topic: `,
        html("bdi", {}, names[0]),
        " (vertical) against ",
        html("bdi", {}, names[1]),
      ),
      html(
        "div",
        { class: "axes" },
        labels(at, decimals, from, to, "y"),
        pointed(picture, topicAt, pathOf, what),
        html("span", {}),
        labels(at, decimals, from, to, "x"),
      ),
      hasEqual && html("p", { class: "note" }, "Points that would coincide are drawn next to each other."),
    ),
    ofBoth,
  );
}
