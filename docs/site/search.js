// How the search orders pages: Sphinx's weights, but the changelog and the page for contributors are last.
var Scorer = {
  score: ([document, , , , score]) => (["changes", "contributing"].includes(document) ? score - 1000 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
