import type { Content } from '../values/content.ts';
import { isObject } from '../values/json-object.ts';
import { limits } from '../values/limits.ts';
import { jsonBytes } from '../values/digest.ts';
import type { ChatMessage } from '../values/vocabulary.ts';

/** Checks of a question's fields, which any program may send: each returns the problem as a sentence, or undefined. */

const roles: { readonly [R in ChatMessage['role']]: true } = {
  system: true,
  user: true,
  assistant: true,
  tool: true,
};

export function historyProblem(chatHistory: unknown): string | undefined {
  const messages: unknown[] = Array.isArray(chatHistory) ? chatHistory : [undefined];
  if (messages.some((message) => isObject(message) && Array.isArray(message['content']))) {
    return 'chatHistory takes texts. Ask about images and files in the question, or in a session, which keeps them.';
  }
  if (messages.every(isMessage)) return undefined;
  return `chatHistory is a list of messages such as {"role":"user","content":"…"}; role is one of ${Object.keys(roles).join(', ')}.`;
}

export function variablesProblem(variables: unknown): string | undefined {
  const isFine = isObject(variables) && Object.values(variables).every((text) => typeof text === 'string');
  return isFine ? undefined : 'variables are texts by name.';
}

/** Temporal refuses a start that is too large without saying why. */
export function sizeProblem(question: {
  input: Content;
  chatHistory: ChatMessage[];
  variables?: { [name: string]: string } | undefined;
}): string | undefined {
  const bytes = jsonBytes(question);
  if (bytes <= limits.questionBytes) return undefined;
  return `Question and chat history take ${bytes} bytes; at most ${limits.questionBytes} can be recorded. Put the rest where a tool can read it.`;
}

/** The content of an assistant message with tool calls may be null. */
function isMessage(message: unknown): boolean {
  if (!isObject(message) || !Object.hasOwn(roles, String(message['role']))) return false;
  const { content, toolCalls } = message;
  return typeof content === 'string' || (content === null && Array.isArray(toolCalls));
}
