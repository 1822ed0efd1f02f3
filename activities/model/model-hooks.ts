import type { HookChange } from '../../agent/definition/hooks.ts';
import type { ModelPrompt } from '../../agent/definition/kind.ts';
import { validPrompt } from '../../agent/prompt/valid-prompt.ts';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import { limits } from '../../agent/values/limits.ts';
import { plainJson } from '../../agent/values/values.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import type { ModelReply } from '../../adapters/models/model.ts';
import { changeOf } from '../hooks/change.ts';
import { type CallHooks, HookBlocked, HookFailed, runHook } from '../hooks/run-hook.ts';
import { checkReply } from './check-reply.ts';

/** Asks a model with the request that `beforeModel` lets pass. Resolves to the reply that `afterModel` lets pass. Throws HookBlocked and HookFailed. */
export async function betweenHooks<T extends { reply: ModelReply }>(
  hooks: CallHooks | undefined,
  request: ModelRequest,
  ask: (request: ModelRequest) => Promise<T>,
): Promise<T & { changes?: HookChange[] }> {
  if (hooks === undefined) return ask(request);
  const sent = await beforeModel(hooks, request);
  const answer = await ask(sent.request);
  const { reply, changes } = await afterModel(hooks, answer.reply);
  return { ...answer, reply, changes: [...sent.changes, ...changes].slice(0, limits.changes) };
}

async function beforeModel(
  call: CallHooks,
  request: ModelRequest,
): Promise<{ request: ModelRequest; changes: HookChange[] }> {
  const { hooks, context } = call;
  if (hooks.beforeModel === undefined) return { request, changes: [] };
  const before = messagesOf(request.prompt);
  // A copy: a message that the hook changed in place would be sent without a record.
  const answer = await runHook(call, 'beforeModel', () =>
    hooks.beforeModel?.({ messages: structuredClone(before) }, context),
  );
  if (answer === undefined) return { request, changes: [] };
  if ('block' in answer) throw new HookBlocked(`The hook beforeModel blocked the request: ${answer.block}`);
  const messages = plainJson(answer.messages) as unknown as ChatMessage[]; // read by the schema of the answer
  const changes = messageChanges(before, messages, answer.hideBefore);
  return { request: { ...request, prompt: validPrompt(withMessages(request.prompt, messages)) }, changes };
}

/** A prompt of one text is one message of the user, as chat models get it. */
function messagesOf(prompt: ModelPrompt): ChatMessage[] {
  return prompt.type === 'text' ? [{ role: 'user', content: prompt.text }] : prompt.messages;
}

function withMessages(prompt: ModelPrompt, messages: ChatMessage[]): ModelPrompt {
  if (prompt.type === 'messages') return { ...prompt, messages };
  const [only, second] = messages;
  if (only?.role === 'user' && typeof only.content === 'string' && second === undefined)
    return { ...prompt, text: only.content };
  const problem = 'the prompt of this agent is one text. Return one message of the user with a text.';
  throw new HookFailed('beforeModel', problem);
}

function messageChanges(
  before: readonly ChatMessage[],
  after: readonly ChatMessage[],
  isHidden: boolean | undefined,
): HookChange[] {
  const hook = 'beforeModel';
  if (before.length !== after.length)
    return changeOf({ hook, part: 'messages' }, plainJson(before), plainJson(after), isHidden);
  return before.flatMap((message, index) =>
    changeOf({ hook, part: `messages[${index}]` }, plainJson(message), plainJson(after[index]), isHidden),
  );
}

async function afterModel(
  call: CallHooks,
  reply: ModelReply,
): Promise<{ reply: ModelReply; changes: HookChange[] }> {
  const { hooks, context } = call;
  if (hooks.afterModel === undefined) return { reply, changes: [] };
  const { text, toolCalls } = reply;
  const answer = await runHook(call, 'afterModel', () =>
    hooks.afterModel?.({ text, toolCalls: structuredClone(toolCalls) }, context),
  );
  if (answer === undefined) return { reply, changes: [] };
  if ('block' in answer) throw new HookBlocked(`The hook afterModel blocked the reply: ${answer.block}`);
  const { hideBefore, ...parts } = answer;
  const changed = { ...reply, text: parts.text ?? text, toolCalls: parts.toolCalls ?? toolCalls };
  const hook = 'afterModel';
  const changes = [
    ...changeOf({ hook, part: 'text' }, text, changed.text, hideBefore),
    ...changeOf({ hook, part: 'toolCalls' }, plainJson(toolCalls), plainJson(changed.toolCalls), hideBefore),
  ];
  if (changes.length === 0) return { reply, changes };
  // Reasoning and provider data belong to the reply as the model gave it.
  const { reasoning: _, providerData: __, ...plain } = changed;
  return { reply: checkReply('the hook afterModel', plain), changes };
}
