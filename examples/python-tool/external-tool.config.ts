import { defineAgent, defineConfig, externalTool, z } from 'reloop';
import { demoModel } from '../demo-model.ts';

/** An agent whose tools are Python: worker.py beside this file runs them. */
const taskQueue = 'python-tools';

const capital = externalTool({ name: 'capital', description: 'The capital of a country.', taskQueue });

const book = externalTool({
  name: 'book',
  description: 'Books a hotel.',
  input: z.object({ city: z.string(), nights: z.int().default(1) }),
  taskQueue,
  // Nothing is heard of it until it ends: this is how long a dead worker goes unnoticed.
  timeout: '4s',
});

const survey = externalTool({
  name: 'survey',
  description: 'Walks through all streets of a city, which takes a while.',
  taskQueue,
  timeout: '1h',
  heartbeatTimeout: '2s',
});

export default defineConfig({
  agents: [
    defineAgent({
      name: 'traveller',
      kind: 'zero-shot',
      tools: [capital, book, survey],
      model: demoModel([
        ' Where to?\nAction: capital\nAction Input: Norway',
        ' A bed first.\nAction: book\nAction Input: {"city": "Oslo", "nights": 2}',
        ' Now I look around.\nAction: survey\nAction Input: Oslo',
        ' I now know the final answer\nFinal Answer: Two nights in Oslo, and eight streets to see.',
      ]),
    }),
  ],
});
