/** The order of rows or columns of a heatmap, in which similar ones are next to each other. */

/**
 * The order of the leaves of a hierarchical clustering by average linkage of squared Euclidean distances. It is computed
 * by chains of nearest neighbours, in quadratic time. Of two clusters that are merged, the one with lower values is first.
 *
 * @param {number[][]} vectors  of equal length
 * @returns {number[]}
 */
export function clustered(vectors) {
  const n = vectors.length;
  const distances = vectors.map((own) =>
    Float32Array.from(vectors, (other) => own.reduce((sum, value, place) => sum + (value - other[place]) ** 2, 0)),
  );
  const clusters = vectors.map((vector, leaf) => ({
    leaves: [leaf],
    sum: vector.reduce((sum, value) => sum + value, 0),
  }));
  const left = new Set(clusters.keys());
  /** @type {number[]} */
  const chain = [];
  while (left.size > 1) {
    const end = chain.at(-1) ?? Math.min(...left);
    if (!chain.length) chain.push(end);
    const before = chain.at(-2) ?? -1;
    let nearest = before;
    for (const other of left) {
      if (other !== end && (nearest < 0 || distances[end][other] < distances[end][nearest])) nearest = other;
    }
    if (nearest !== before) {
      chain.push(nearest);
      continue;
    }
    chain.length -= 2;
    const [low, high] = [end, nearest].sort((a, b) => mean(clusters[a]) - mean(clusters[b]) || a - b);
    const sizes = [low, high].map((place) => clusters[place].leaves.length);
    for (const other of left) {
      const joined = (sizes[0] * distances[low][other] + sizes[1] * distances[high][other]) / (sizes[0] + sizes[1]);
      distances[low][other] = joined;
      distances[other][low] = joined;
    }
    clusters[low] = {
      leaves: [...clusters[low].leaves, ...clusters[high].leaves],
      sum: clusters[low].sum + clusters[high].sum,
    };
    left.delete(high);
  }
  return n ? clusters[Math.min(...left)].leaves : [];
}

/** @param {{ leaves: number[], sum: number }} cluster */
function mean({ leaves, sum }) {
  return sum / leaves.length;
}
