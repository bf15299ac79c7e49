/** Pictures of all topics at once: their differences in order, and one run's values over the other's. */

import { data, favours, valuesOf } from "./data.js";
import { counted, html, nameOf, svg } from "./elements.js";
import { ticks, written } from "./numbers.js";
import { part } from "./pictures.js";

/** @typedef {{ topics: number[], measure: number, names: string[], open: (topic: number) => void }} Shown */

/**
 * A picture that says under the pointer what is there, and opens its topic when pressed. Those who do not point have
 * the table of topics, which says the same.
 *
 * @param {SVGSVGElement} picture
 * @param {(x: number, y: number) => number | null} topicAt  the topic at a place in parts of the picture
 * @param {(topic: number) => string} say
 * @param {(topic: number) => void} open
 */
function pointed(picture, topicAt, say, open) {
  const tip = html("div", { class: "tip", "aria-hidden": "true" });
  const frame = html("div", { class: "plot" }, picture, tip);
  const found = (/** @type {MouseEvent} */ event) => {
    const box = picture.getBoundingClientRect();
    return topicAt((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
  };
  picture.addEventListener("pointermove", (event) => {
    const topic = found(event);
    tip.classList.toggle("shown", topic !== null);
    if (topic === null) return;
    const box = picture.getBoundingClientRect();
    const x = event.clientX - box.left;
    tip.textContent = say(topic);
    tip.classList.toggle("left", x > box.width / 2);
    tip.style.setProperty("left", `${x}px`);
    tip.style.setProperty("top", `${event.clientY - box.top}px`);
  });
  picture.addEventListener("pointerleave", () => tip.classList.remove("shown"));
  picture.addEventListener("click", (event) => {
    const topic = found(event);
    if (topic !== null) open(topic);
  });
  return frame;
}

/** @param {number[]} at @param {number} decimals @param {number} from @param {number} to @param {"x" | "y"} axis */
function labels(at, decimals, from, to, axis) {
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
 * The differences of the topics, greatest gain first; topics that are not chosen stay as a shadow.
 *
 * @param {Shown & { differences: (number | null)[] }} what
 */
export function differencesChart({ differences, topics, measure, names, open }) {
  const order = data.topics.map((_, topic) => topic).filter((topic) => differences[topic] !== null);
  const of = (/** @type {number} */ topic) => differences[topic] ?? 0;
  order.sort((a, b) => of(b) - of(a) || a - b);
  const from = Math.min(0, of(order.at(-1) ?? 0));
  const to = Math.max(from < 0 ? 0 : 1e-9, of(order[0] ?? 0));
  const most = Math.max(to, -from);
  const y = (/** @type {number} */ value) => (HEIGHT * (to - value)) / (to - from);
  const chosen = new Set(topics);
  /** @type {Record<string, string[]>} */
  const paths = { gain: [], loss: [], tie: [], shadow: [] };
  order.forEach((topic, place) => {
    const value = of(topic);
    const sign = favours(measure, value);
    const kind = !chosen.has(topic) ? "shadow" : sign > 0 ? "gain" : sign < 0 ? "loss" : "tie";
    const gap = order.length < 400 ? 0.1 : 0;
    paths[kind].push(`M${place + gap} ${y(0)}V${y(value).toFixed(3)}h${1 - 2 * gap}V${y(0)}z`);
  });
  const { at, decimals } = ticks(from, to, 5);
  const gains = order.filter((topic) => favours(measure, of(topic)) > 0).length;
  const losses = order.filter((topic) => favours(measure, of(topic)) < 0).length;
  const sides = `${names[0]} is better on ${gains}, ${names[1]} on ${losses}`;
  const text = `Differences for ${counted(order.length, "topic")} in order: ${sides}; the largest is ${written(most)}.`;
  const picture = svg(
    "svg",
    {
      viewBox: `0 0 ${Math.max(order.length, 1)} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": text,
      class: "differences",
    },
    ...at.map((value) =>
      svg("line", { class: value === 0 ? "zero" : "grid", x1: 0, x2: order.length, y1: y(value), y2: y(value) }),
    ),
    ...Object.entries(paths).map(([kind, path]) => svg("path", { class: kind, d: path.join("") })),
  );
  const topicAt = (/** @type {number} */ x) => order[Math.floor(x * order.length)] ?? null;
  const say = (/** @type {number} */ topic) =>
    `${nameOf(data.topics[topic].id)}: ${written(of(topic), { signed: true })}`;
  return html(
    "figure",
    { class: "chart wide" },
    html("figcaption", {}, "Per-topic differences in descending order"),
    html("div", { class: "axes" }, labels(at, decimals, from, to, "y"), pointed(picture, topicAt, say, open)),
  );
}

/**
 * The value of the first run over that of the second, a point for each topic.
 *
 * @param {Shown & { first: number, second: number }} what
 */
export function scatterChart({ first, second, topics, measure, names, open }) {
  const [ofFirst, ofSecond] = [valuesOf(measure, first), valuesOf(measure, second)];
  const chosen = new Set(topics);
  const points = data.topics.flatMap((_, topic) => {
    const [y, x] = [ofFirst[topic], ofSecond[topic]];
    return x === null || y === null ? [] : [{ topic, x, y, shadow: !chosen.has(topic) }];
  });
  const all = points.flatMap(({ x, y }) => [x, y]);
  const from = all.reduce((least, value) => Math.min(least, value), 0);
  const to = all.reduce((most, value) => Math.max(most, value), 1e-9);
  const place = (/** @type {number} */ value) => part(value, from, to);
  /** @type {Record<string, string[]>} */
  const paths = { shadow: [], tie: [], loss: [], gain: [] };
  for (const { x, y, shadow } of points) {
    const sign = favours(measure, y - x);
    const kind = shadow ? "shadow" : sign > 0 ? "gain" : sign < 0 ? "loss" : "tie";
    paths[kind].push(`M${place(x).toFixed(2)} ${(100 - place(y)).toFixed(2)}h0`);
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
      const away = Math.hypot(place(point.x) - 100 * x, 100 - place(point.y) - 100 * y);
      if (away < distance) [nearest, distance] = [point.topic, away];
    }
    return nearest;
  };
  const say = (/** @type {number} */ topic) =>
    `${nameOf(data.topics[topic].id)}: ${written(ofFirst[topic])} against ${written(ofSecond[topic])}`;
  return html(
    "figure",
    { class: "chart square" },
    html(
      "figcaption",
      {},
      "Values by topic: ",
      html("bdi", {}, names[0]),
      " (vertical) against ",
      html("bdi", {}, names[1]),
    ),
    html(
      "div",
      { class: "axes" },
      labels(at, decimals, from, to, "y"),
      pointed(picture, topicAt, say, open),
      html("span", {}),
      labels(at, decimals, from, to, "x"),
    ),
  );
}
