import { isObject, parseJson } from '../values/json-object.ts';
import type { Json } from '../values/vocabulary.ts';

/** The tool by which a model controls its background calls. */
export const BACKGROUND_TOOL = 'background';

export const controlActions = ['ask', 'wait', 'cancel'] as const;

export interface BackgroundControl {
  action: (typeof controlActions)[number];
  /** Id of the call: `3.1`. */
  ticket: string;
}

/** Reads the input of the tool; undefined for an input that does not fit. */
export function readControl(input: Json): BackgroundControl | undefined {
  const given = typeof input === 'string' ? parseJson(input) : input;
  if (!isObject(given)) return undefined;
  const { action: wanted, ticket } = given;
  const action = controlActions.find((known) => known === wanted);
  // The number 3.10 is the number 3.1.
  return action === undefined || typeof ticket !== 'string' ? undefined : { action, ticket: ticket.trim() };
}
