import { fieldsOf, isObject } from '../values/json-object.ts';
import type { ModelTurn, TurnDecision } from './calls.ts';
import { type FailedCall, isUsage } from './failures.ts';

/**
 * Reads the recorded result of a model call as our activity writes it. Returns undefined for any other value: an operator can
 * complete a model call with any JSON, by `temporal activity complete` or in the Web UI.
 */
export function readModelTurn(value: unknown): ModelTurn | undefined {
  const { text, digest, usage, decision } = fieldsOf(value);
  const isOurs =
    typeof text === 'string' && typeof digest === 'string' && isUsage(usage) && isDecision(decision);
  return isOurs ? (value as ModelTurn) : undefined; // the fields that the loop needs were checked
}

/** Failure of a model call that was completed with a value that is not a model's turn. A person may give the reply, or retry. */
export const foreignTurn: FailedCall = {
  error: {
    type: 'ForeignResult',
    message:
      'The model call was completed from outside of Reloop, with a value that is not a reply. Retry the call, or resolve it with the text of the reply.',
  },
  checkpoint: undefined,
  mayPass: true,
};

function isDecision(value: unknown): boolean {
  const decision = fieldsOf(value);
  switch (decision['type'] as TurnDecision['type'] | undefined) {
    case 'finish':
      return decision['output'] !== undefined;
    case 'act':
      return Array.isArray(decision['actions']) && decision['actions'].every(isAction);
    case 'compact':
      return typeof decision['keep'] === 'number';
    case 'fail':
      return isObject(decision['error']);
    case 'stop':
      return true;
    case undefined:
      return false;
  }
  return false; // a value that the type does not have
}

function isAction(value: unknown): boolean {
  const { tool, toolInput } = fieldsOf(value);
  return typeof tool === 'string' && toolInput !== undefined;
}
