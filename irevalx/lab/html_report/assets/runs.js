/** Runs by measures: each mean with its interval, what differs, and how much of it was judged. */

import { baseline, data, depth, direction, favours, meanOf, pairOf, readingOf } from "./data.js";
import { byId, html, named, nameOf } from "./elements.js";
import { figure, interval, percent } from "./numbers.js";
import { badge, bar, shareBar } from "./pictures.js";
import { change, state, watch } from "./state.js";
import { compared, orderOf, scrolling, sortingHead } from "./tables.js";

const READINGS = { skip: "unjudged documents skipped", rel: "unjudged documents relevant" };

/** The least and the greatest value that the bars of a measure show. @param {number} measure */
function limitsOf(measure) {
  const shown = data.runs.flatMap((_, run) => {
    const { mean, low, high } = meanOf(run, measure);
    return [mean, low, high, readingOf(run, measure, "skip"), readingOf(run, measure, "rel")];
  });
  const found = shown.filter((value) => value !== null);
  const { low: least, high: most } = data.measures[measure];
  const from = Math.max(Math.min(0, ...found), Math.min(0, least ?? -Infinity));
  return { from, to: Math.min(Math.max(0, ...found), most ?? Infinity) };
}

/** What a run's difference from the baseline says. @param {number} run @param {number} measure */
function verdictSign(run, measure) {
  const pair = baseline === null || run === baseline ? null : pairOf(measure, run, baseline);
  if (!pair || pair.difference === null || !pair.differ) return null;
  const better = favours(measure, pair.difference) > 0;
  return html(
    "span",
    {
      class: better ? "verdict gain" : "verdict loss",
      title: `significantly ${better ? "better" : "worse"} than the baseline`,
    },
    html("span", { "aria-hidden": "true" }, better ? "▲" : "▼"),
    html("span", { class: "unseen" }, better ? " significantly better" : " significantly worse"),
  );
}

/**
 * @param {number} run
 * @param {number} measure
 * @param {{ from: number, to: number, best: number | null }} limits
 * @param {string[]} show
 */
function meanCell(run, measure, { from, to, best }, show) {
  const { mean, low, high } = meanOf(run, measure);
  const letters = data.letters?.[measure]?.[run];
  const reference = baseline === null ? null : meanOf(baseline, measure).mean;
  const chosen = Object.keys(READINGS).filter(
    (reading) => show.includes(reading) && readingOf(run, measure, reading) !== null,
  );
  const marks = chosen.map((reading) => ({ value: readingOf(run, measure, reading), className: `mark ${reading}` }));
  return html(
    "td",
    { class: "value" },
    html(
      "div",
      { class: "number" },
      figure(mean, { className: mean === best ? "best" : "" }),
      letters ? html("span", { class: "letters" }, letters) : verdictSign(run, measure),
    ),
    bar({ value: mean, low, high, from, to, reference, marks }),
    show.includes("interval") && html("div", { class: "beside" }, interval(low, high)),
    ...chosen.map((reading) =>
      html("div", { class: `beside ${reading}` }, `${reading} `, figure(readingOf(run, measure, reading))),
    ),
  );
}

/** Whether somebody has asked for the share judged as a measure: it need not stand there twice. */
const SHARE_IS_A_MEASURE = data.measures.some(({ name }) => name === `judged_${depth}`);

/** How much of the first documents was judged. @param {number} run */
function shareCell(run) {
  const share = data.judged[run].within.at(-1) ?? null;
  const number = html(
    "div",
    { class: "number" },
    share === null ? "–" : html("data", { value: share }, percent(share)),
  );
  return html("td", { class: "value" }, number, shareBar(share, "judged"));
}

/** @param {number} run @param {number[]} chosen */
function runHead(run, chosen) {
  const { name, group } = data.runs[run];
  const place = chosen.indexOf(run);
  const box = html("input", {
    type: "checkbox",
    checked: place >= 0,
    "aria-label": `select ${nameOf(name)}`,
    "data-run": run,
  });
  box.addEventListener("change", () => {
    const others = state().runs.filter((each) => each !== run);
    change({ runs: box.checked ? [...others, run] : others });
  });
  return html(
    "th",
    { scope: "row" },
    html(
      "label",
      { class: "run" },
      box,
      named(name),
      place >= 0 && badge(place),
      run === baseline && html("span", { class: "tag" }, "baseline"),
      group !== null && group !== name && html("span", { class: "tag" }, named(group)),
    ),
  );
}

/** What the marks beside the values mean. */
function explained() {
  const { confidence, how_tested: how } = data.about;
  const parts = [`Bar: mean over topics, with its ${percent(confidence)} confidence interval.`];
  if (data.letters) {
    parts.push(`Runs that share a letter in a column are not significantly different there. ${how ?? ""}`);
  } else if (baseline !== null) {
    const name = nameOf(data.runs[baseline].name);
    parts.push(
      `▲ significantly better, ▼ significantly worse than ${name}; vertical line: mean of ${name}. ${how ?? ""}`,
    );
  }
  if (data.runs.length > 1) {
    parts.push("Bold: best mean of the column (only if all means are over the same number of topics).");
  }
  return html("p", { class: "note" }, parts.join(" "));
}

/** @param {string[]} show */
function choicesOf(show) {
  const box = (/** @type {string} */ key, /** @type {string} */ label) => {
    const input = html("input", { type: "checkbox", checked: show.includes(key), "data-show": key });
    input.addEventListener("change", () => {
      change({ show: input.checked ? [...state().show, key] : state().show.filter((each) => each !== key) });
      /** @type {HTMLElement | null} */ (document.querySelector(`[data-show="${key}"]`))?.focus();
    });
    return html("label", {}, input, ` ${label}`);
  };
  return html(
    "fieldset",
    { class: "choices" },
    html("legend", {}, "Next to the means"),
    box("interval", "confidence intervals"),
    ...Object.entries(READINGS)
      .filter(([reading]) => data.readings.some((row) => row.reading === reading))
      .map(([reading, label]) => box(reading, `${reading}: ${label}`)),
  );
}

const sortedBy = (/** @type {number} */ run, /** @type {string} */ key) => {
  if (key === "run") return data.runs[run].name;
  if (key === "judged") return data.judged[run].within.at(-1) ?? null;
  return meanOf(
    run,
    Math.max(
      0,
      data.measures.findIndex((measure) => measure.name === key),
    ),
  ).mean;
};

/** @param {import("./state.js").State} chosen */
function drawRuns({ runs, sort, show }) {
  const [main] = data.measures;
  const order = orderOf(sort || `${main?.name} ${data.measures.length && direction(0) < 0 ? "up" : "down"}`);
  const rows = data.runs.map((_, run) => run);
  rows.sort((a, b) => compared(sortedBy(a, order.key), sortedBy(b, order.key), order.down) || a - b);
  const limits = data.measures.map((measure, index) => {
    const sign = direction(index);
    const found = rows.map((run) => meanOf(run, index).mean).filter((mean) => mean !== null);
    const sizes = new Set(rows.map((run) => meanOf(run, index).topics));
    const best =
      rows.length < 2 || measure.higher_is_better === null || sizes.size > 1
        ? null
        : Math.max(...found.map((mean) => sign * mean)) * sign;
    return { ...limitsOf(index), best };
  });
  const sorted = (/** @type {string} */ next) => change({ sort: next });
  const table = html(
    "table",
    { class: "runs" },
    html("caption", { class: "unseen" }, "Measure values of runs"),
    html(
      "thead",
      {},
      html(
        "tr",
        {},
        sortingHead({ key: "run", label: "Run", order, sort: sorted, downFirst: false }),
        ...data.measures.map(({ name, title, what, higher_is_better: higher }) =>
          sortingHead({
            key: name,
            label: named(title),
            order,
            sort: sorted,
            downFirst: higher !== false,
            title: what,
            className: "value",
          }),
        ),
        !SHARE_IS_A_MEASURE &&
          sortingHead({ key: "judged", label: `judged@${depth}`, order, sort: sorted, className: "value" }),
      ),
    ),
    html(
      "tbody",
      {},
      ...rows.map((run) => {
        return html(
          "tr",
          { class: runs.includes(run) && "chosen" },
          runHead(run, runs),
          ...data.measures.map((_, measure) => meanCell(run, measure, limits[measure], show)),
          !SHARE_IS_A_MEASURE && shareCell(run),
        );
      }),
    ),
  );
  const focused = document.activeElement?.getAttribute("data-run");
  byId("runs-body").replaceChildren(choicesOf(show), scrolling(table, "Measure values of runs"), explained());
  if (focused) table.querySelector(/** @type {"input"} */ (`input[data-run="${focused}"]`))?.focus();
}

export function startRuns() {
  watch(["runs", "sort", "show"], drawRuns);
}
