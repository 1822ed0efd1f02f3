import { defineAgent, defineTool } from 'reloop';
import { demoModel } from './demo-model.ts';

const refused = new Set<string>();
const bank = defineTool({
  name: 'bank',
  description: 'Pays an invoice.',
  retry: { maxAttempts: 1 },
  run(invoice, { runId }) {
    if (refused.has(runId)) return `invoice ${invoice} is paid`;
    refused.add(runId);
    throw new Error('the bank is closed');
  },
});

/** Its call fails the first time in each run, and then waits for a person. */
export const payer = defineAgent({
  name: 'payer',
  tools: [bank],
  model: demoModel([
    { text: 'It has to be paid.', toolCalls: [{ name: 'bank', arguments: { input: '4711' } }] },
    'Invoice 4711 is settled.',
  ]),
});
