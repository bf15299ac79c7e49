/** The page: each part draws itself, now and whenever the choices that it depends on change. */

import { startCoverage } from "./coverage.js";
import { byId } from "./elements.js";
import { startFilters } from "./filters.js";
import { startMatrix } from "./matrix.js";
import { startOverview } from "./overview.js";
import { startPair } from "./pair.js";
import { startRuns } from "./runs.js";
import { copyButton } from "./saving.js";
import { link, refresh, watch } from "./state.js";
import { startTopic } from "./topic.js";
import { startTopics } from "./topics.js";

/** Links to the parts of the page, which carry what is chosen. */
function startSections() {
  const sections = { runs: "Runs", pair: "Two runs", overview: "All runs", topics: "Topics", coverage: "Coverage" };
  for (const [at, title] of Object.entries(sections)) {
    if (byId(at).hidden) continue;
    const element = link({ at }, title);
    element.addEventListener("click", () => byId(at).scrollIntoView());
    byId("sections").append(element);
  }
  watch(["at"], ({ at }) => {
    if (at in sections) byId(at).scrollIntoView();
  });
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    byId("runs-heading").focus();
  });
}

/** Open the files and options for printing only. */
function startPrinting() {
  const files = /** @type {HTMLDetailsElement} */ (byId("files"));
  let wasOpen = files.open;
  window.addEventListener("beforeprint", () => {
    wasOpen = files.open;
    files.open = true;
  });
  window.addEventListener("afterprint", () => {
    files.open = wasOpen;
  });
}

document.documentElement.classList.add("scripted");
startFilters();
startRuns();
startMatrix();
startPair();
startOverview();
startTopics();
startTopic();
startCoverage();
startSections();
startPrinting();
byId("filters").append(copyButton("Copy link", "copy the address of this view", () => location.href));
refresh();
document.documentElement.classList.add("drawn");
