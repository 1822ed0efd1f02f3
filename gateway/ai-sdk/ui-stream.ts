import { problemOf } from '../http/problem.ts';
import type { Reply } from '../replies/follow-reply.ts';
import type { RunPart } from '../replies/run-parts.ts';
import { createKnownParts } from '../replies/parts-after.ts';
import type { WorkerPart } from '../replies/worker-parts.ts';
import { settledParts } from '../replies/settled-parts.ts';
import { eventText } from '../replies/sse-response.ts';
import { type ChunkOptions, TextWithdrawn, createUiChunks } from './ui-chunks.ts';
import type { UiChunk } from './ui-types.ts';

interface StreamOptions extends ChunkOptions {
  report(error: unknown): void;
}

/**
 * The chunks of a run's reply as server-sent events, up to the end of the run, or until all its calls wait for the page. An error breaks
 * the connection, so that the page resumes the stream.
 */
export async function* uiStream(
  run: string,
  { before, open }: { before: AsyncIterable<WorkerPart>; open: () => Promise<Reply> },
  { report, ...options }: StreamOptions,
): AsyncGenerator<string> {
  const start: UiChunk = { type: 'start', messageId: run, messageMetadata: { run } };
  const early = createUiChunks(run, options);
  let isStarted = false;
  for await (const part of before) {
    for (const chunk of [...(isStarted ? [] : [start]), ...early.next(part)]) yield eventText(chunk);
    isStarted = true;
  }
  const reply = await open().catch((error: unknown) => problemOf(error));
  if ('detail' in reply) {
    yield eventText({ type: 'error', errorText: reply.detail });
    return;
  }
  try {
    for await (const chunk of uiChunks(run, settledParts(reply.parts), options)) {
      if (!isStarted || chunk.type !== 'start') yield eventText(chunk);
    }
    yield eventText('[DONE]');
  } catch (error) {
    if (!(error instanceof TextWithdrawn)) report(error);
    throw error;
  }
}

/** The chunks of a message, which start after the last one of the `answered`. Throws TextWithdrawn. */
export async function* uiChunks(
  run: string,
  parts: AsyncIterable<RunPart>,
  options: ChunkOptions,
): AsyncGenerator<UiChunk> {
  const chunks = createUiChunks(run, options);
  const placeOf = createKnownParts(options.answered ?? []);
  let isCaughtUp = false;
  yield { type: 'start', messageId: run, messageMetadata: { run } };
  for await (const part of parts) {
    const made = chunks.next(part);
    if (placeOf(part) === 'new') yield* made;
    isCaughtUp ||= part.type === 'caught_up';
    if (!isCaughtUp || !chunks.isWaitingForPage()) continue;
    yield { type: 'finish-step' };
    yield { type: 'finish', finishReason: 'tool-calls' };
    return;
  }
}
