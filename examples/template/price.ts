import { defineTool, z } from 'reloop';

const prices = new Map([
  ['chair', 120],
  ['lamp', 45],
  ['table', 349],
]);

/** Your own tool. For a product without a price it fails, and the run waits for you: nothing is lost. */
export const price = defineTool({
  name: 'price',
  description: 'What one piece of a product costs, in euros.',
  input: z.object({ product: z.string().describe('in the singular, such as lamp') }),
  retry: { maxAttempts: 1 }, // a retry cannot help: the price is missing
  run({ product }) {
    const euros = prices.get(product);
    if (euros === undefined) throw new Error(`price.ts has no price for "${product}"`);
    return euros;
  },
});
