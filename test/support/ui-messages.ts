import type * as ai from 'ai';
import type { UIMessage, UIMessageChunk } from 'ai';
import { expect } from 'vitest';
import { type ChunkOptions, TextWithdrawn } from '../../gateway/ai-sdk/ui-chunks.ts';
import { uiChunks } from '../../gateway/ai-sdk/ui-stream.ts';
import { settledParts } from '../../gateway/replies/settled-parts.ts';
import { RUN, partsOf } from './reply-events.ts';

/** A version of the package `ai`, which reads the messages of runs. */
export type AiSdk = Pick<typeof ai, 'readUIMessageStream' | 'uiMessageChunkSchema'>;

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
