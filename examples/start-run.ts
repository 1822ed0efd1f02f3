import { calculator, defineAgent, defineTool } from 'reloop';
import { AgentClient } from 'reloop/client';
import { demoModel, lisbon } from './demo-model.ts';

const weather = defineTool({
  name: 'Weather',
  description: 'The weather in a city.',
  run: (city) => `${city}: sunny, 21 °C`,
});
const tools = [weather, calculator()];
export const assistant = defineAgent({ name: 'assistant', model: demoModel(lisbon), tools });

if (process.argv[1]?.includes('start-run')) {
  const client = await AgentClient.connect(); // a running `npm run dev`, or TEMPORAL_ADDRESS
  const { output, usage } = await client.run('assistant', 'How warm is it in Lisbon, in Fahrenheit?');
  console.log(output, `(${usage.totalTokens} tokens)`);
  await client.close();
}
