/** Costs of one measurement by name, with the unit in the name. */
export interface Cost {
  [what: string]: number;
}

/**
 * The cost of one more, between the two largest sizes, and how many times that of one more between the two sizes before it is: 1 is linear.
 * NaN where there are fewer than three sizes.
 */
export function slopes(sizes: readonly number[], costs: readonly number[]) {
  const between = sizes
    .slice(1)
    .map((size, index) => (Number(costs[index + 1]) - Number(costs[index])) / (size - Number(sizes[index])));
  const [before = Number.NaN, oneMore = Number.NaN] = between.slice(-2);
  return { oneMore, growth: between.length < 2 ? Number.NaN : oneMore / before };
}
