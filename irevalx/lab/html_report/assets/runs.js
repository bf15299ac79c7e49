/** Runs by measures: each mean with its interval, what differs, and how much of it was judged. */

import { CAUTION, cautionBadge, cautionOf } from "./cautions.js";
import { baseline, data, depth, direction, favours, hasRankings, meanOf, pairOf, ranked, readingOf } from "./data.js";
import { chosenRuns, startRunFilter } from "./filters.js";
import { button, byId, counted, html, named, nameOf, readable, shortName } from "./elements.js";
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

/** Characters of a name that need a wider column on a narrow screen. */
const LONG_NAME = 14;

/** With more runs, marks replace the letters of groups, which would be too long. */
const MOST_WITH_LETTERS = 10;

const HAS_LETTERS = data.letters !== null && data.runs.length <= MOST_WITH_LETTERS;
const HAS_MARKS = data.letters !== null && !HAS_LETTERS;

/** The run that the marks of a measure compare with; null if there is none. @param {number} measure */
function referenceOf(measure) {
  const { mark, runs } = state();
  if (HAS_MARKS && mark === "selected") return runs[0] ?? null;
  const reference = data.verdicts[measure]?.indexOf("reference") ?? -1;
  return reference < 0 ? null : reference;
}

/** @type {Record<string, { sign: string, words: string, className: string }>} */
const VERDICTS = {
  better: { sign: "▲", words: "significantly better", className: "verdict gain" },
  worse: { sign: "▼", words: "significantly worse", className: "verdict loss" },
  alike: { sign: "≈", words: "not significantly different", className: "verdict" },
};

/**
 * The mark of a run: its verdict against the reference, and whether it depends on unjudged documents.
 *
 * @param {number} run
 * @param {number} measure
 */
function verdictSign(run, measure) {
  const reference = referenceOf(measure);
  const pair = reference === null || run === reference ? null : pairOf(measure, run, reference);
  if (!pair || reference === null || pair.difference === null || pair.differ === null) return null;
  const verdict = !pair.differ ? "alike" : favours(measure, pair.difference) > 0 ? "better" : "worse";
  const isHidden =
    HAS_LETTERS || (HAS_MARKS ? verdict === "worse" && state().mark !== "selected" : verdict === "alike");
  const names = [run, reference].map((each) => nameOf(data.runs[each].short));
  const caution = cautionOf(pair, names);
  if (isHidden && !caution) return null;
  const { sign, words, className } = VERDICTS[verdict];
  const preposition = verdict === "alike" ? "from" : "than";
  return html(
    "span",
    {
      class: isHidden ? "verdict" : className,
      "data-part": "verdict",
      title: `${words} ${preposition} ${names[1]}${caution && `; ${caution}`}`,
    },
    html("span", { "aria-hidden": "true" }, isHidden ? "" : sign),
    html("span", { class: "unseen" }, ` ${words}${caution && `; ${caution}`}`),
    cautionBadge([run, reference], measure, caution),
  );
}

/** Whether rank sets are displayed: the only pair of two runs has a mark. */
const HAS_RANKS = data.runs.length > 2 && data.rank_sets.some((sets) => sets !== null);

/** The rank set of a run, such as #1–4. @param {number} run @param {number} measure */
function rankSet(run, measure) {
  const sets = data.rank_sets[measure];
  if (!HAS_RANKS || !sets) return null;
  const [low, high, tier] = [sets.rank_low[run], sets.rank_high[run], sets.tier[run]];
  const words = `rank set ${low === high ? low : `${low} to ${high}`}, tier ${tier} of ${Math.max(...sets.tier)}`;
  return html(
    "span",
    { class: "ranks", "data-part": "ranks", title: words },
    html("span", { "aria-hidden": "true" }, `#${low === high ? low : `${low}–${high}`}`),
    html("span", { class: "unseen" }, ` ${words}`),
  );
}

/**
 * @param {number} run
 * @param {number} measure
 * @param {{ from: number, to: number }} limits
 * @param {string[]} show
 */
function meanCell(run, measure, { from, to }, show) {
  const { mean, low, high } = meanOf(run, measure);
  const letters = HAS_LETTERS ? data.letters?.[measure]?.[run] : null;
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
      figure(mean, { className: data.ranked[measure].best.includes(run) ? "best" : "" }),
      letters && html("span", { class: "letters", "data-part": "letters" }, letters),
      verdictSign(run, measure),
      rankSet(run, measure),
    ),
    bar({ value: mean, low, high, from, to, reference, marks }),
    show.includes("interval") && html("div", { class: "beside" }, interval(low, high)),
    ...chosen.map((reading) =>
      html(
        "div",
        { class: `beside ${reading}`, "data-part": reading },
        `${reading} `,
        figure(readingOf(run, measure, reading)),
      ),
    ),
  );
}

/** The share of judged documents among the first retrieved documents. @param {number} run */
function shareOf(run) {
  return data.judged_among_retrieved[run].within.at(-1) ?? null;
}

/** Whether a measure divides by the cutoff of the shares. @param {string} name */
function isShare(name) {
  return hasRankings && name === `judged_${depth}`;
}

/** The name of the shares, which texts use, below the name of the measure that replaces their column. */
function sameAsShare() {
  return !hasShares() && html("span", { class: "beside" }, data.about.coverage);
}

/** Whether the shares have a column: not if they equal the values of the measure judged, which divides by the cutoff. */
function hasShares() {
  const measure = data.measures.findIndex(({ name }) => isShare(name));
  const differ = (/** @type {number} */ run) => Math.abs((shareOf(run) ?? 0) - (meanOf(run, measure).mean ?? 0)) > 1e-9;
  return hasRankings && (measure < 0 || data.runs.some((_, run) => differ(run)));
}

/** @param {number} run */
function shareCell(run) {
  const share = shareOf(run);
  const number = html(
    "div",
    { class: "number" },
    share === null ? "–" : html("data", { value: share }, percent(share)),
  );
  return html("td", { class: "value" }, number, shareBar(share, "judged"));
}

/** @param {number} run @param {number[]} chosen */
function runHead(run, chosen) {
  const { name, short, group } = data.runs[run];
  const isOpen = state().detail === run;
  const place = chosen.indexOf(run);
  const box = html("input", {
    type: "checkbox",
    checked: place >= 0,
    "aria-label": `select ${nameOf(short)}`,
    "data-run": run,
  });
  box.addEventListener("change", () => {
    const others = state().runs.filter((each) => each !== run);
    change({ runs: box.checked ? [...others, run] : others });
  });
  const details = button(
    {
      class: "more",
      "aria-expanded": isOpen ? "true" : "false",
      "aria-label": `details of ${nameOf(short)}`,
      "data-detail": run,
    },
    () => change({ detail: isOpen ? null : run }),
    isOpen ? "▾" : "▸",
  );
  return html(
    "th",
    { scope: "row" },
    html(
      "span",
      { class: "run" },
      details,
      html("label", { class: "run" }, box, shortName(data.runs[run])),
      place >= 0 && badge(place),
      run === baseline && html("span", { class: "tag", "data-column": "Baseline" }, "baseline"),
      group !== null && group !== name && html("span", { class: "tag", "data-column": "Group" }, named(group)),
    ),
  );
}

/** The row with the whole name of a run, its file and its values. @param {number} run @param {number} columns */
function detailRow(run, columns) {
  const { name, group } = data.runs[run];
  const files = data.about.run_files;
  const path = files.length === data.runs.length ? files[run].path : null;
  const facts = Object.entries({ Run: name, File: path, Group: group === name ? null : group }).flatMap(
    ([term, value]) => (value === null ? [] : [html("dt", {}, term), html("dd", {}, html("bdi", {}, readable(value)))]),
  );
  const values = data.measures.flatMap((measure, index) => {
    const { mean, low, high, topics } = meanOf(run, index);
    if (mean === null) return [];
    const rank = ranked(index).indexOf(run) + 1;
    const others = Object.keys(READINGS).flatMap((reading) => {
      const other = readingOf(run, index, reading);
      return other === null ? [] : [`, ${reading} `, figure(other)];
    });
    return [
      html("dt", {}, named(measure.title)),
      html(
        "dd",
        {},
        figure(mean),
        " ",
        low !== null && interval(low, high),
        ` over ${counted(topics, "topic")}`,
        measure.is_tested && measure.higher_is_better !== null && `, rank ${rank} of ${data.runs.length}`,
        ...others,
      ),
    ];
  });
  return html("tr", { class: "detail" }, html("td", { colspan: columns }, html("dl", {}, ...facts, ...values)));
}

/** What the marks beside the values mean. @param {boolean} hasCautions */
function explained(hasCautions) {
  const { confidence, how_tested: how } = data.about;
  const parts = [`Bar: mean over topics, with its ${percent(confidence)} confidence interval.`];
  const reference = state().mark === "selected" ? "the first selected run" : "the run with the best mean of the column";
  if (HAS_MARKS) {
    const others = state().mark === "selected" ? "▲ significantly better, ▼ significantly worse, " : "";
    parts.push(`${others}≈ not significantly different from ${reference}. ${how ?? ""}`);
  } else if (HAS_LETTERS) {
    parts.push(`Runs that share a letter in a column are not significantly different there. ${how ?? ""}`);
  } else if (baseline !== null) {
    const name = nameOf(data.runs[baseline].short);
    parts.push(
      `▲ significantly better, ▼ significantly worse than ${name}; vertical line: mean of ${name}. ${how ?? ""}`,
    );
  }
  if (HAS_RANKS) {
    parts.push(
      "#: rank set, from 1 plus the number of significantly better runs to the number of runs minus the number of " +
        "significantly worse runs. Overlapping rank sets do not show that runs are equal.",
    );
  }
  if (hasCautions) {
    const whole = baseline === null ? reference : nameOf(data.runs[baseline].short);
    parts.push(`${CAUTION}: the conclusion on the run and ${whole} depends on unjudged documents.`);
  }
  if (data.runs.length > 1) {
    parts.push("Bold: best mean of the column (only if all means are over the same topics).");
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
  const marks = html(
    "select",
    { id: "mark" },
    html("option", { value: "", selected: state().mark === "" }, "the best run of each column"),
    html("option", { value: "selected", selected: state().mark === "selected" }, "the first selected run"),
  );
  marks.addEventListener("change", () => {
    change({ mark: marks.value });
    byId("mark").focus();
  });
  return html(
    "fieldset",
    { class: "choices" },
    html("legend", {}, "Next to the means"),
    HAS_MARKS && html("label", { class: "field" }, html("span", {}, "comparison with"), marks),
    box("interval", "confidence intervals"),
    ...Object.entries(READINGS)
      .filter(([reading]) => data.readings.some((row) => row.reading === reading))
      .map(([reading, label]) => box(reading, `${reading}: ${label}`)),
  );
}

const sortedBy = (/** @type {number} */ run, /** @type {string} */ key) => {
  if (key === "run") return data.runs[run].name;
  if (key === "judged") return shareOf(run);
  return meanOf(
    run,
    Math.max(
      0,
      data.measures.findIndex((measure) => measure.name === key),
    ),
  ).mean;
};

/** @param {import("./state.js").State} chosen */
function drawRuns({ runs, sort, show, detail }) {
  const [main] = data.measures;
  const order = orderOf(sort || `${main?.name} ${data.measures.length && direction(0) < 0 ? "up" : "down"}`);
  const rows = chosenRuns();
  rows.sort((a, b) => compared(sortedBy(a, order.key), sortedBy(b, order.key), order.down) || a - b);
  const limits = data.measures.map((_, index) => limitsOf(index));
  const sorted = (/** @type {string} */ next) => change({ sort: next });
  const withShares = hasShares();
  const table = html(
    "table",
    { class: data.runs.some(({ short }) => short.length > LONG_NAME) ? "runs long-names" : "runs" },
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
            label: isShare(name) ? html("span", {}, named(title), sameAsShare()) : named(title),
            order,
            sort: sorted,
            downFirst: higher !== false,
            title: what,
            className: "value",
          }),
        ),
        withShares &&
          sortingHead({ key: "judged", label: data.about.coverage, order, sort: sorted, className: "value" }),
      ),
    ),
    html(
      "tbody",
      {},
      ...rows.flatMap((run) => {
        const ofRun = html(
          "tr",
          { class: runs.includes(run) && "chosen" },
          runHead(run, runs),
          ...data.measures.map((_, measure) => meanCell(run, measure, limits[measure], show)),
          withShares && shareCell(run),
        );
        return run === detail ? [ofRun, detailRow(run, ofRun.cells.length)] : [ofRun];
      }),
    ),
  );
  const attribute = ["data-run", "data-detail"].find((name) => document.activeElement?.hasAttribute(name));
  const focused = attribute && `[${attribute}="${document.activeElement?.getAttribute(attribute)}"]`;
  const hasCautions = table.querySelector(".caution") !== null;
  byId("runs-body").replaceChildren(
    choicesOf(show),
    scrolling(table, "Measure values of runs"),
    explained(hasCautions),
  );
  if (focused) /** @type {HTMLElement | null} */ (table.querySelector(focused))?.focus();
}

export function startRuns() {
  startRunFilter();
  watch(["runs", "sort", "show", "mark", "detail", "names", "factor"], drawRuns);
}
