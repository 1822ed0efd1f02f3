import { fieldOf } from '../../agent/values/values.ts';
import { bad } from '../http/read-body.ts';

/**
 * Fields that change what a client gets, and that only the agent's config can set. Without a refusal the client would believe that
 * they took effect.
 */
const refusals: { readonly [field: string]: { isUsed(value: unknown): boolean; says: string } } = {
  tools: { isUsed: isFilled, says: 'The agent has its own tools, and calls them itself. Leave out `tools`.' },
  functions: {
    isUsed: isFilled,
    says: 'The agent has its own tools, and calls them itself. Leave out `functions`.',
  },
  response_format: {
    isUsed: (value) => typeOf(value) !== 'text',
    says: 'The form of an answer is the `output` of the agent in its config. Leave out `response_format`.',
  },
  text: {
    isUsed: (value) => typeOf(fieldOf(value, 'format')) !== 'text',
    says: 'The form of an answer is the `output` of the agent in its config. Leave out `text.format`.',
  },
  n: { isUsed: (value) => value !== 1, says: 'A run has one answer. Leave out `n`.' },
  logprobs: {
    isUsed: (value) => value !== false,
    says: 'There are no log probabilities. Leave out `logprobs`.',
  },
  audio: { isUsed: () => true, says: 'The answer is a text. Leave out `audio`.' },
  prompt: { isUsed: () => true, says: 'The prompt is that of the agent in its config. Leave out `prompt`.' },
};

/** Throws Refused for a field that would have no effect and whose effect would be missed. */
export function refuseFields(body: { readonly [field: string]: unknown }): void {
  for (const [field, { isUsed, says }] of Object.entries(refusals)) {
    const value = body[field];
    if (value !== undefined && value !== null && isUsed(value)) throw bad(says);
  }
}

function isFilled(value: unknown): boolean {
  return !Array.isArray(value) || value.length > 0;
}

/** `text` also where nothing is said. */
function typeOf(value: unknown): unknown {
  return fieldOf(value, 'type') ?? 'text';
}
