// @ts-check
/** The data of the report, numbers and topics still packed. */
const report = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("data")).textContent ?? "");
document.title = report.about.title;
