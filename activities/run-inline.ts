import { type Context, log } from '@temporalio/activity';
import type { MadeCall, ToolCallMeta } from '../agent/calls.ts';
import { limits } from '../agent/limits.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import { boundedText } from '../agent/values.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { orAborted } from './attempt.ts';
import { classifyError } from './errors.ts';
import type { Observations } from './observations.ts';
import { idempotencyKey, runTool, scopeOf, tellModel } from './tool-call.ts';
import { inToolScope } from './tool-scope.ts';

/** Whose call it is, and in which activity it is made. */
export interface InlinePlace {
  /** As the id of the call's own activity would be. */
  id: string;
  meta: ToolCallMeta;
  context: Context;
  /** Ends what the call is made in. */
  signal: AbortSignal;
}

/** What an attempt without an activity of its own has not. */
class NotInline extends Error {
  override name = 'NotInline';
}

/**
 * The first attempt of a tool's call, within another activity: it has no heartbeat, so nothing can be stored of it. The call is left to
 * the tool's activity where it needs more than there is here: a longer time, more room, or what only an activity has.
 */
export async function runInline(
  tool: Tool,
  input: Json,
  { id, meta, context, signal: outer }: InlinePlace,
  observations: Observations,
): Promise<MadeCall> {
  const start = performance.now();
  const attempted = () => ({ id, ms: Math.round(performance.now() - start) });
  let isMissed = false;
  const miss = () => {
    isMissed = true;
    throw new NotInline();
  };
  const signal = AbortSignal.any([outer, AbortSignal.timeout(limits.inlineMs)]);
  const own = inlineContext(tool, input, meta, signal, miss);
  try {
    const told = inToolScope(scopeOf(tool, meta, context), () =>
      tellModel(meta.maxOutputChars, () => runTool(tool, input, own)),
    );
    const result = await orAborted(told, signal);
    // The tool may have caught that it cannot have what it asked for.
    const isTooLarge = utf8Length(JSON.stringify(result.output)) > limits.inlineResultBytes;
    if (isMissed || isTooLarge) return attempted();
    observations.remember({ ...context.info, activityId: id, attempt: 1 }, result.output);
    return { ...attempted(), result };
  } catch (caught) {
    if (isMissed || signal.aborted) return attempted();
    const { type, message, retryable, mayPass = false } = classifyError(caught);
    const exhausted = retryable && meta.retry.maxAttempts === 1;
    if (retryable && !exhausted) return { ...attempted(), again: true };
    return { ...attempted(), failed: { error: { type, message }, mayPass: exhausted || mayPass } };
  }
}

function inlineContext(
  tool: Tool,
  input: Json,
  meta: ToolCallMeta,
  signal: AbortSignal,
  miss: () => never,
): ToolContext {
  const said = { tool: tool.name, call: meta.call };
  return {
    signal,
    progress: () => undefined,
    checkpoint: async () => miss(),
    lastCheckpoint: undefined,
    idempotencyKey: idempotencyKey(meta, tool.name, input),
    earlierCalls: async () => miss(),
    complete: async () => miss(),
    commit: async () => undefined,
    defer: () => miss(),
    attempt: 1,
    callId: meta.call,
    runId: meta.root,
    log: {
      info: (text) => void log.info(boundedText(text, limits.logChars), said),
      warn: (text) => void log.warn(boundedText(text, limits.logChars), said),
    },
  };
}
