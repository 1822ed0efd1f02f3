import type * as ai from 'ai';
import type { UIMessage, UIMessageChunk } from 'ai';
import { expect } from 'vitest';
import type { RunEvent } from '../../agent/run/events.ts';
import { type ChunkOptions, TextWithdrawn } from '../../gateway/ai-sdk/ui-chunks.ts';
import { uiChunks } from '../../gateway/ai-sdk/ui-stream.ts';
import { runParts } from '../../gateway/replies/run-parts.ts';
import { settledParts } from '../../gateway/replies/settled-parts.ts';

/** A version of the package `ai`, which reads the messages of runs. */
export type AiSdk = Pick<typeof ai, 'readUIMessageStream' | 'uiMessageChunkSchema'>;

export const RUN = 'acme.chairs';

async function* given(events: readonly object[]): AsyncGenerator<RunEvent> {
  yield* events.map((event) => ({ at: 0, ...event }) as RunEvent);
}

async function* partsOf(events: readonly object[]) {
  for await (const part of runParts(given(events), { isPlain: true })) yield { part };
}

/** The chunks, each of which the SDK's own schema takes. `isWithdrawn`: the connection is broken at the end. */
export async function chunksOf(
  { uiMessageChunkSchema }: AiSdk,
  events: readonly object[],
  options: Partial<ChunkOptions> = {},
) {
  const chunks: UIMessageChunk[] = [];
  try {
    for await (const chunk of uiChunks(RUN, settledParts(partsOf(events)), { mayDecide: true, ...options })) {
      const { success } = (await uiMessageChunkSchema().validate?.(chunk)) ?? {};
      expect([chunk, success]).toEqual([chunk, true]);
      chunks.push(structuredClone(chunk) as UIMessageChunk); // the schema takes it
    }
  } catch (error) {
    if (error instanceof TextWithdrawn) return { chunks, isWithdrawn: true };
    throw error;
  }
  return { chunks, isWithdrawn: false };
}

/** The message as the SDK's own reader has it at the end. `message`: the page has it before. */
export async function messageOf(
  sdk: AiSdk,
  events: readonly object[],
  { message, ...options }: Partial<ChunkOptions> & { message?: UIMessage | undefined } = {},
) {
  const { chunks, isWithdrawn } = await chunksOf(sdk, events, options);
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      chunks.forEach((chunk) => controller.enqueue(chunk));
      controller.close();
    },
  });
  let last: UIMessage | undefined;
  const errors: unknown[] = [];
  for await (const state of sdk.readUIMessageStream({
    stream,
    ...(message && { message }),
    onError: (error) => errors.push(error),
  })) {
    last = state;
  }
  return { parts: last?.parts.map(essence) ?? [], errors, last, isWithdrawn };
}

function essence(part: UIMessage['parts'][number]): unknown {
  if (part.type === 'text' || part.type === 'reasoning') return `${part.type}: ${part.text}`;
  if (part.type !== 'dynamic-tool') return part.type === 'step-start' ? '-' : part;
  const { toolName, state, output } = part;
  return `${toolName} ${state}${output === undefined ? '' : ` ${JSON.stringify(output)}`}`;
}

export const action = (call: string, tool = 'price') => ({
  type: 'action',
  call,
  action: { tool, toolInput: 'chair', log: '' },
});
export const step = (call: string, observation: unknown) => ({
  type: 'step',
  step: { call, action: action(call).action, observation, attempts: 1, durationMs: 1 },
});
export const writes = (text: string, attempt = 1) => ({ type: 'model_text', call: '1', attempt, text });
export const ends = (call: string, text: string, more: object = {}) => ({
  type: 'model_ended',
  call,
  attempts: 1,
  turn: { text, decision: { type: 'finish' }, ...more },
});
export const waits = (call: string, reason = 'approval', n = 0) => ({
  type: 'waiting',
  wait: { call, n, tool: 'price', toolInput: 'chair', reason },
});
export const decided = (call: string, type: string) => ({ type: 'decided', call, decision: { type } });
export const over = (status: string, more: object = {}) => ({
  type: 'run_ended',
  status,
  error: null,
  ...more,
});
export const says = (text: string) => ({ type: 'steered', message: { type: 'say', text } });
export const begins = (call: string) => ({ type: 'model_started', call });
export const rewinds = (to: number) => ({ type: 'restarted', by: 'rewind', step: to });
export const caughtUp = { type: 'caught_up' };
