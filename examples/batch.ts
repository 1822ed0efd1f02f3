import { asText, defineAgent, defineConfig } from 'reloop';
import { AgentClient } from 'reloop/client';
import { demoModel } from './demo-model.ts';

const capitals = new Map([
  ['Norway', 'Oslo'],
  ['Peru', 'Lima'],
  ['Japan', 'Tokyo'],
]);

export const geographer = defineAgent({
  name: 'geographer',
  description: 'names the capital of a country',
  model: demoModel(({ prompt }) => {
    const country = prompt.split('\n').at(-1) ?? '';
    return capitals.get(country) ?? 'I do not know.';
  }),
});

/** Many inputs, two runs at a time; the same id again goes on where it was. One line for each input, in order. */
export async function nameCapitals(
  client: Pick<AgentClient, 'batch'>,
  countries: readonly string[],
  id?: string,
): Promise<string[]> {
  const options = { concurrency: 2, id };
  const results = await client.batch('geographer', countries, options);
  return results.map((result, index) => {
    const country = countries[index];
    if (result.status === 'fulfilled') return `${country}: ${asText(result.value.output)}`;
    if (result.status === 'waiting') return `${country} waits for a person: run ${result.id}`;
    return `${country} failed: ${String(result.reason)}`;
  });
}

if (process.argv[1]?.endsWith('batch.ts')) {
  const client = await AgentClient.connect(); // a running `npm run dev`, or TEMPORAL_ADDRESS
  for (const line of await nameCapitals(client, [...capitals.keys()])) console.log(line);
  await client.close();
}

export default defineConfig({ agents: [geographer] });
