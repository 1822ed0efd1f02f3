import { defineTool, z } from 'reloop';

const prices = new Map([
  ['chair', 120],
  ['lamp', 45],
  ['table', 349],
]);

/** A tool of your own. Of what has no price it fails, and the run waits for you: nothing is lost. */
export const price = defineTool({
  name: 'price',
  description: 'What one piece of a product costs, in euros.',
  input: z.object({ product: z.string().describe('in the singular, such as lamp') }),
  retry: { maxAttempts: 1 }, // a price that is missing does not come by itself
  run({ product }) {
    const euros = prices.get(product);
    if (euros === undefined) throw new Error(`price.ts has no price for "${product}"`);
    return euros;
  },
});
