/** Numbers and lists that the file carries compressed: raw deflate, in base64. */

/**
 * @typedef {{ packed: "float64" | "uint16", shape: number[], data: string }} PackedNumbers
 * @typedef {{ packed: "json", chunks: { first: number, n: number, data: string }[] }} PackedList
 */

/** @param {string} text */
function decompressed(text) {
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
}

/** The numbers, in the order of C. They are little-endian, as this machine is. @param {PackedNumbers} packed */
export async function unpackedNumbers({ packed, data }) {
  const buffer = await decompressed(data).arrayBuffer();
  return packed === "float64" ? new Float64Array(buffer) : new Uint16Array(buffer);
}

/** A list of which some items are looked at: it is unpacked by chunks, and the last few of these are kept. */
export class ItemsUnpacked {
  /** @param {PackedList} list @param {number} kept chunks */
  constructor(list, kept = 4) {
    this.chunks = list.chunks;
    this.kept = kept;
    /** @type {Map<number, Promise<any[]>>} */
    this.unpacked = new Map();
  }

  /** The item at a place, or null where the list has none. @param {number} place @returns {Promise<any>} */
  async at(place) {
    const index = this.chunks.findIndex(({ first, n }) => first <= place && place < first + n);
    if (index < 0) return null;
    const chunk = this.unpacked.get(index) ?? decompressed(this.chunks[index].data).json();
    this.unpacked.delete(index);
    this.unpacked.set(index, chunk);
    for (const oldest of [...this.unpacked.keys()].slice(0, -this.kept)) this.unpacked.delete(oldest);
    return (await chunk)[place - this.chunks[index].first];
  }
}
