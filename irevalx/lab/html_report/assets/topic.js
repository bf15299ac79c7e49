/** One topic: the rankings of the chosen runs side by side, and what each document gives the measure. */

import { data, depth, hasRankings, valuesOf } from "./data.js";
import { documentButton, gradeSign, standing, textSummary } from "./documents.js";
import { button, byId, counted, html, named, nameOf, readable, svg } from "./elements.js";
import { judgingPart } from "./judging.js";
import { markButtons } from "./marks.js";
import { figure, written } from "./numbers.js";
import { colourOf, part } from "./pictures.js";
import { addedBy, rankingsOf, textOf, textsOf } from "./rankings.js";
import { addressed, change, link, state, watch } from "./state.js";
import { columnHeads, row, runName, scrolling } from "./tables.js";
import { missedDocuments } from "./missed.js";
import { neighbours } from "./topics.js";
import { marked, termsOf } from "./words.js";

/** @typedef {import("./rankings.js").Document} Document */
/** @typedef {import("./rankings.js").TopicRankings} TopicRankings */
/** @typedef {import("./documents.js").Texts} Texts */

/**
 * The lines between two columns: the picture is as high as the rows are, whatever their height.
 *
 * @param {number[]} left documents
 * @param {number[]} right
 * @param {number} rows
 */
function connections(left, right, rows) {
  const picture = svg("svg", { viewBox: `0 0 100 ${rows}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  left.forEach((document, rank) => {
    const other = right.indexOf(document);
    if (other < 0) return;
    const [from, to] = [rank + 0.5, other + 0.5];
    picture.append(svg("path", { d: `M0 ${from}C50 ${from} 50 ${to} 100 ${to}`, "data-document": document }));
  });
  return picture;
}

/** Show which documents are the same wherever one of them is pointed at. @param {HTMLElement} table */
function linkSame(table) {
  const show = (/** @type {Event} */ event, /** @type {boolean} */ on) => {
    const target = /** @type {Element} */ (event.target).closest("[data-document]");
    const document = target?.getAttribute("data-document");
    for (const each of table.querySelectorAll("[data-document]")) {
      each.classList.toggle("same", on && each.getAttribute("data-document") === document);
    }
  };
  for (const kind of ["pointerover", "focusin"]) table.addEventListener(kind, (event) => show(event, true));
  for (const kind of ["pointerout", "focusout"]) table.addEventListener(kind, (event) => show(event, false));
}

/** @param {TopicRankings} rankings @param {number[]} runs @param {number} topic @param {Texts} texts */
function rankingsTable(rankings, runs, topic, texts) {
  const { measure } = state();
  const columns = runs.map((run) => ({
    run,
    ranked: rankings.runs[run] ?? [],
    gives: addedBy(rankings, measure, run),
  }));
  const rows = Math.max(...columns.map(({ ranked }) => ranked.length));
  if (!(rows > 0)) return html("p", { class: "note" }, "None of the selected runs retrieves documents for this topic.");
  const given = columns.flatMap(({ gives, ranked }) => (gives ?? []).slice(0, ranked.length));
  const most = given.reduce((/** @type {number} */ found, each) => Math.max(found, Math.abs(each ?? 0)), 0);

  const heads = columns.flatMap(({ run }, place) => [
    place > 0 && html("td", { class: "between" }),
    html(
      "th",
      { scope: "col" },
      runName(run, runs),
      html(
        "span",
        { class: "beside" },
        `${nameOf(data.measures[measure].title)} `,
        figure(valuesOf(measure, run)[topic]),
      ),
    ),
  ]);

  const cellOf = (/** @type {typeof columns[0]} */ { ranked, gives }, /** @type {number} */ rank) => {
    const index = ranked[rank];
    if (index === undefined) return html("td", { class: "document" });
    const document = rankings.documents[index];
    const amount = gives?.[rank] ?? null;
    const size = most ? Math.abs(amount ?? 0) / most : 0;
    return html(
      "td",
      { class: "document", "data-document": index },
      html(
        "div",
        {},
        gradeSign(document),
        documentButton(document),
        markButtons(topic, document),
        amount !== null &&
          html(
            "span",
            { class: "gives", "data-part": "contribution" },
            amount === 0 ? html("data", { value: 0, class: "muted" }, "0") : figure(amount, { signed: true }),
            svg(
              "svg",
              { "aria-hidden": "true", width: 36, height: 8 },
              svg("rect", { class: amount < 0 ? "loss" : "gain", width: 36 * size, height: 8, rx: 1.5 }),
            ),
          ),
      ),
      textSummary(index, texts),
    );
  };

  const body = Array.from({ length: rows }, (_, rank) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, rank + 1),
      ...columns.flatMap((column, place) => [
        rank === 0 &&
          place > 0 &&
          html("td", { class: "between", rowspan: rows }, connections(columns[place - 1].ranked, column.ranked, rows)),
        cellOf(column, rank),
      ]),
    ),
  );
  const table = html(
    "table",
    { class: texts.texts.size ? "rankings with-texts" : "rankings" },
    html(
      "caption",
      { class: "unseen" },
      `Rankings of topic ${nameOf(data.topics[topic].id)}: the first ${counted(depth, "document")}`,
    ),
    html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "Rank"), ...heads)),
    html("tbody", {}, ...body),
  );
  linkSame(table);
  return scrolling(table, "Rankings side by side");
}

/** What the signs mean, as far as they occur. @param {TopicRankings} rankings */
function legend(rankings) {
  /** @type {Map<string, Document>} */
  const found = new Map();
  for (const document of rankings.documents) found.set(standing(document).words, document);
  const order = [...found].sort(
    ([, a], [, b]) => (b.grade ?? -99) - (a.grade ?? -99) || Number(b.pooled) - Number(a.pooled),
  );
  return html(
    "ul",
    { class: "legend" },
    ...order.map(([words, document]) =>
      html("li", {}, gradeSign(document), html("span", { "aria-hidden": "true" }, ` ${words}`)),
    ),
  );
}

/**
 * The panel of one document: what is known of it, where the runs have it, its text.
 *
 * @param {TopicRankings} rankings
 * @param {number[]} runs
 * @param {number} topic
 */
async function documentPanel(rankings, runs, topic) {
  const { document: id, measure } = state();
  const index = rankings.documents.findIndex((document) => addressed(document.id) === id);
  if (index < 0) return null;
  const document = rankings.documents[index];
  const close = () => {
    change({ document: null });
    byId("topic-heading").focus();
  };
  const text = await textOf(document);
  const missed = rankings.missed.ranks[rankings.missed.documents.indexOf(index)];
  const ranks = data.runs.flatMap((_, run) => {
    const first = (rankings.runs[run] ?? []).indexOf(index);
    const rank = first < 0 ? (missed?.[run] ?? 0) - 1 : first;
    return rank < 0 ? [] : [{ run, rank, gives: addedBy(rankings, measure, run)?.[rank] ?? null }];
  });
  ranks.sort((a, b) => a.rank - b.rank);
  const rows = ranks.map(({ run, rank, gives }) =>
    row({}, [runName(run, runs)], rank + 1, figure(gives, { signed: true })),
  );
  const panel = html(
    "aside",
    { id: "document", "aria-labelledby": "document-heading", tabindex: -1 },
    html(
      "div",
      { class: "heading" },
      html("h3", { id: "document-heading" }, html("bdi", {}, readable(document.id))),
      button({ class: "plain", "aria-label": "close the document" }, close, "Close"),
    ),
    html("p", {}, gradeSign(document), ` ${standing(document).words}`),
    document.grade === null && html("p", {}, "Your grade: ", markButtons(topic, document)),
    text !== null &&
      html(
        "div",
        { class: "text", dir: "auto", tabindex: 0, role: "region", "aria-label": "text of the document" },
        ...marked(text, termsOf(data.topics[topic].text)),
      ),
    html(
      "table",
      {},
      html("caption", {}, missed || depth === 1 ? "Ranks" : `Ranks within the first ${depth}`),
      columnHeads("Run", "Rank", "Contribution"),
      html("tbody", {}, ...rows),
    ),
  );
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  return panel;
}

/** The values of all chosen runs for the topic, as points on a line. @param {number} topic @param {number[]} runs */
function valuesLine(topic, runs) {
  const { measure } = state();
  const all = data.runs.map((_, run) => valuesOf(measure, run)[topic]).filter((value) => value !== null);
  if (all.length < 2) return null;
  const from = Math.min(0, ...all);
  const to = Math.max(data.measures[measure].high ?? 0, ...all) || 1;
  const x = (/** @type {number} */ value) => `${part(value, from, to)}%`;
  const name = nameOf(data.measures[measure].title);
  const picture = svg(
    "svg",
    {
      class: "bar values",
      width: "100%",
      height: 20,
      role: "img",
      "aria-label": `${name} of ${all.length} runs, ${written(Math.min(...all))} to ${written(Math.max(...all))}`,
    },
    svg("line", { class: "track", x1: 0, x2: "100%", y1: 10, y2: 10 }),
    ...all.map((value) => svg("line", { class: "tick", x1: x(value), x2: x(value), y1: 5, y2: 15 })),
  );
  runs.forEach((run, place) => {
    const value = valuesOf(measure, run)[topic];
    if (value !== null) {
      picture.append(
        svg("circle", { class: colourOf(place), cx: x(value), cy: 10, r: 6 }),
        svg("text", { x: x(value), y: 13, "text-anchor": "middle" }, place + 1),
      );
    }
  });
  return html(
    "figure",
    { class: "values" },
    html("figcaption", {}, `${name} of all runs, 0 to ${written(to, { decimals: to >= 10 ? 0 : 2 })}`),
    picture,
  );
}

/** The way to the topics beside this one in the list. @param {number} topic */
function steps(topic) {
  const { before, after, at, all } = neighbours(topic);
  const step = (/** @type {number | null} */ to, /** @type {string} */ label) =>
    to === null ? html("span", { class: "muted" }, label) : link({ topic: to, document: null }, label);
  return html(
    "nav",
    { class: "steps", "aria-label": "Topics" },
    step(before, "← previous"),
    html("span", { class: "muted" }, at < 0 ? "" : `${at + 1} of ${all}`),
    step(after, "next →"),
    link({ topic: null, document: null, at: "topics" }, "close"),
  );
}

let asked = 0;

/** @param {import("./state.js").State} chosen */
async function drawTopic({ topic, runs, document: open }) {
  asked += 1;
  const question = asked;
  byId("topic").hidden = topic === null;
  if (topic === null) return;
  const { id, text, n_judged: judged, n_relevant: relevant } = data.topics[topic];
  const rankings = await rankingsOf(topic);
  const panel = rankings && open !== null ? await documentPanel(rankings, runs, topic) : null;
  const places = rankings ? [...runs.flatMap((run) => rankings.runs[run] ?? []), ...rankings.missed.documents] : [];
  const hasTexts = rankings?.documents.some((document) => document.text !== undefined);
  const texts = { texts: rankings && hasTexts ? await textsOf(rankings, places) : new Map(), terms: termsOf(text) };
  if (question !== asked) return;
  byId("topic-heading").replaceChildren("Topic ", named(id));
  byId("topic-body").replaceChildren(
    steps(topic),
    text === null ? "" : html("p", { class: "question", dir: "auto" }, readable(text)),
    judged === null || relevant === null
      ? ""
      : html(
          "p",
          { class: "muted" },
          `${relevant.toLocaleString("en")} of ${counted(judged, "judged document")} ${relevant === 1 ? "is" : "are"} relevant.`,
        ),
    valuesLine(topic, runs) ?? "",
    !hasRankings
      ? ""
      : !runs.length
        ? html("p", { class: "note" }, "Select runs in the table of runs to display their rankings.")
        : rankings
          ? html(
              "div",
              { class: panel ? "beside-panel" : "" },
              html(
                "div",
                {},
                rankingsTable(rankings, runs, topic, texts),
                legend(rankings),
                judgingPart(rankings, runs, topic),
                missedDocuments(rankings, runs, texts),
              ),
              panel,
            )
          : html("p", { class: "note" }, "The report contains no rankings of this topic."),
  );
}

/** Whether the page has been drawn once: only then a topic that opens takes the focus. */
let started = false;

export function startTopic() {
  /** @type {Promise<void>} */
  let drawn;
  watch(["topic", "document", "runs", "measure", "order", "group", "find"], (chosen) => {
    drawn = drawTopic(chosen);
  });
  watch(["topic"], async ({ topic, at }) => {
    const move = topic !== null && (started || !at);
    started = true;
    await drawn;
    if (!move) return;
    byId("topic").scrollIntoView({ block: "start" });
    byId("topic-heading").focus({ preventScroll: true });
  });
  watch(["document"], async () => {
    await drawn;
    const beside = matchMedia("(min-width: 60rem)").matches;
    byId("topic-body").querySelector("aside")?.focus({ preventScroll: beside });
  });
}
