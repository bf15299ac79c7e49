/** Numbers as the page shows them: four decimals, as the evaluator; the whole number stands in the element. */

import { html } from "./elements.js";

const MINUS = "\u2212";

/**
 * @param {number | null} value
 * @param {{ signed?: boolean, decimals?: number }} [how]
 */
export function written(value, { signed = false, decimals = 4 } = {}) {
  if (value === null) return "–";
  const digits = Math.abs(value).toFixed(decimals);
  const zero = Number(digits) === 0;
  if (value < 0 && !zero) return MINUS + digits;
  return signed && !zero ? `+${digits}` : digits;
}

/**
 * @param {number | null} value
 * @param {{ signed?: boolean, decimals?: number, className?: string }} [how]
 */
export function figure(value, how = {}) {
  if (value === null) return html("span", { class: "none", title: "no value" }, "–");
  return html("data", { value, class: how.className }, written(value, how));
}

/**
 * @param {number | null} low
 * @param {number | null} high
 * @param {{ signed?: boolean }} [how]
 */
export function interval(low, high, how = {}) {
  if (low === null || high === null) return html("span", { class: "interval none" }, "no interval");
  return html("span", { class: "interval" }, "[", figure(low, how), ", ", figure(high, how), "]");
}

/** @param {number | null} share */
export function percent(share) {
  if (share === null) return "–";
  const of100 = 100 * share;
  if (share > 0 && of100 < 0.05) return "< 0.1%";
  if (share < 1 && of100 >= 99.95) return "> 99.9%";
  const decimals = (share > 0 && of100 < 9.95) || (share < 1 && of100 >= 99.5) ? 1 : 0;
  return `${of100.toFixed(decimals)}%`;
}

/** @param {number | null} p */
export function probability(p) {
  if (p === null) return html("span", { class: "none" }, "–");
  return html("data", { value: p }, p < 0.00005 ? "< 0.0001" : p.toFixed(4));
}

/**
 * Round values between two limits, at most `most` of them.
 *
 * @param {number} from
 * @param {number} to
 * @param {number} most
 */
export function ticks(from, to, most) {
  const size = to - from || 1;
  const power = 10 ** Math.floor(Math.log10(size / most));
  const step = [1, 2, 5, 10].map((times) => times * power).find((each) => size / each <= most) ?? size;
  const found = [];
  for (let at = Math.ceil(from / step - 1e-9); at * step <= to + step * 1e-9; at += 1) found.push(at * step);
  return { at: found, decimals: Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)) };
}
