import { problemOf } from '../http/problem.ts';
import type { Reply } from '../replies/follow-reply.ts';
import type { RunPart } from '../replies/run-parts.ts';
import { settledParts } from '../replies/settled-parts.ts';
import { eventText } from '../replies/sse-response.ts';
import type { Approval } from '../start/approvals.ts';
import { TextWithdrawn, type UiChunk, createUiChunks } from './ui-chunks.ts';

interface StreamOptions {
  /** Approvals that the page has shown: the stream begins after the last one of them. Default: with the message. */
  answered?: readonly Approval[] | undefined;
  report(error: unknown): void;
}

/**
 * The chunks of a run's reply as server-sent events, up to the end of the run, or until all its calls wait for approval. An error breaks
 * the connection, so that the page resumes the stream.
 */
export async function* uiStream(
  open: () => Promise<Reply>,
  { answered = [], report }: StreamOptions,
): AsyncGenerator<string> {
  const reply = await open().catch((error: unknown) => problemOf(error));
  if ('detail' in reply) {
    yield eventText({ type: 'error', errorText: reply.detail });
    return;
  }
  try {
    for await (const chunk of uiChunks(reply.view.id, settledParts(reply.parts), answered)) {
      yield eventText(chunk);
    }
    yield eventText('[DONE]');
  } catch (error) {
    if (!(error instanceof TextWithdrawn)) report(error);
    throw error;
  }
}

/** The chunks of a message. Throws TextWithdrawn. */
export async function* uiChunks(
  run: string,
  parts: AsyncIterable<RunPart>,
  answered: readonly Approval[] = [],
): AsyncGenerator<UiChunk> {
  const chunks = createUiChunks(run);
  const left = new Set(answered.map(({ call, n }) => `${call} ${n}`));
  let isCaughtUp = false;
  yield { type: 'start', messageId: run, messageMetadata: { run } };
  for await (const part of parts) {
    const isKnown = left.size > 0;
    if (part.type === 'waiting') left.delete(`${part.wait.call} ${part.wait.n}`);
    const made = chunks.next(part);
    if (!isKnown) yield* made;
    isCaughtUp ||= part.type === 'caught_up';
    if (!isCaughtUp || !chunks.isWaitingForApproval()) continue;
    yield { type: 'finish-step' };
    yield { type: 'finish', finishReason: 'tool-calls' };
    return;
  }
}
