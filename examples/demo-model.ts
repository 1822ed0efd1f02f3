import type { Model } from 'reloop';
import { type Script, scripted } from 'reloop/testing';

/** Whether a real model can be asked; without one the examples play their scripts. */
export const hasRealModel = Boolean(process.env['OPENAI_API_KEY'] || process.env['OPENAI_BASE_URL']);

/** The model of an example: OPENAI_MODEL where there is a key, else the script. */
export function demoModel(script: Script): string | Model {
  return hasRealModel ? (process.env['OPENAI_MODEL'] ?? 'gpt-4o-mini') : scripted(script);
}

/** What the scripted model of start-run.ts says. */
export const lisbon = [
  { toolCalls: [{ name: 'Weather', arguments: { input: 'Lisbon' } }] },
  { toolCalls: [{ name: 'calculator', arguments: { input: '21 * 9 / 5 + 32' } }] },
  'It is sunny in Lisbon, 69.8 °F.',
];
