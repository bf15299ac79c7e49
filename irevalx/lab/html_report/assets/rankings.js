/** The rankings of topics, which are unpacked when one of these is opened. */

import { data, placeOfPair } from "./data.js";
import { ItemsUnpacked, unpackedNumbers } from "./unpacking.js";

/**
 * @typedef {{ id: string, grade: number | null, pooled: boolean, text?: number }} Document
 * @typedef {{ documents: Document[], runs: (number[] | null)[],
 *   added: ({ values: number[], runs: (number[] | null)[] } | null)[],
 *   missed: { documents: number[], ranks: (number | null)[][], n_more: number, n_unretrieved: number },
 *   grades: [grade: number, number: number][] }} TopicRankings
 */

const rankings = new ItemsUnpacked(data.rankings);
const texts = new ItemsUnpacked(data.texts);

/** @param {number} topic @returns {Promise<TopicRankings | null>} */
export function rankingsOf(topic) {
  return rankings.at(topic);
}

/** @param {Document | undefined} document @returns {Promise<string | null>} */
export async function textOf(document) {
  return document?.text === undefined ? null : texts.at(document.text);
}

/**
 * The texts of documents of a topic, by their place; null for documents without a text.
 *
 * @param {TopicRankings} topic
 * @param {number[]} places
 */
export async function textsOf(topic, places) {
  /** @type {Map<number, string | null>} */
  const byPlace = new Map();
  const order = [...new Set(places)].sort((a, b) => (topic.documents[a].text ?? -1) - (topic.documents[b].text ?? -1));
  for (const place of order) byPlace.set(place, await textOf(topic.documents[place]));
  return byPlace;
}

/**
 * What the documents of a run add to a measure, by rank; null where the measure does not divide among documents.
 *
 * @param {TopicRankings} topic
 * @param {number} measure
 * @param {number} run
 */
export function addedBy(topic, measure, run) {
  const added = topic.added[measure];
  return added?.runs[run]?.map((place) => added.values[place]) ?? null;
}

/** @type {Promise<ArrayLike<number>[]> | null} */
let inCommon = null;

/**
 * For each topic, how little two rankings have in common: 1 less the share of the longer one that both have.
 *
 * @param {number} first
 * @param {number} second
 * @returns {Promise<(number | null)[]>}
 */
export async function rankingContrasts(first, second) {
  inCommon ??= Promise.all([unpackedNumbers(data.in_common), unpackedNumbers(data.n_first)]);
  const [common, lengths] = await inCommon;
  const pair = placeOfPair(first, second);
  const nTopics = data.topics.length;
  return data.topics.map((_, topic) => {
    const longer = Math.max(lengths[first * nTopics + topic], lengths[second * nTopics + topic]);
    return longer ? 1 - common[pair * nTopics + topic] / longer : null;
  });
}
