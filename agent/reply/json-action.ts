import { fieldsOf, isObject } from '../values/json-object.ts';
import { readJsonBlob } from './json-blob.ts';
import { type ParsedReply, OutputParserError } from '../definition/kind.ts';
import type { Json } from '../values/vocabulary.ts';

/** LangChain's name for the action that ends the run: its input is the answer. */
const FINAL_ANSWER = 'Final Answer';

/**
 * A reply as LangChain's JSONAgentOutputParser reads it: of several actions the first, and an action may go without
 * input. Throws {@link OutputParserError}.
 */
export function parseJsonAction(text: string): ParsedReply {
  const blob = readJsonBlob(text);
  const { action, action_input: input } = fieldsOf(Array.isArray(blob) ? blob[0] : blob);
  return decisionOf(text, action, action === FINAL_ANSWER ? input : (input ?? {}));
}

/** A reply as LangChain's ConvoOutputParser reads it: one action, input and all. Throws {@link OutputParserError}. */
export function parseConversationalAction(text: string): ParsedReply {
  const { action, action_input: input } = fieldsOf(readJsonBlob(text));
  return decisionOf(text, action, input);
}

function decisionOf(text: string, action: Json | undefined, input: Json | undefined): ParsedReply {
  if (action === FINAL_ANSWER && input !== undefined) return { type: 'finish', output: input, log: text };
  if (typeof action === 'string' && (typeof input === 'string' || isObject(input))) {
    return { type: 'act', actions: [{ tool: action, toolInput: input, log: text }] };
  }
  throw new OutputParserError(`Could not parse LLM output: ${text}`);
}
