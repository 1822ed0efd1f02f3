import type { Context } from '@temporalio/activity';
import type { InlineCall, ToolCallMeta } from '../../agent/calls/calls.ts';
import { limits } from '../../agent/values/limits.ts';
import { utf8Length } from '../../agent/values/digest.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { Tool } from '../../tools/tool.ts';
import { orAborted } from '../../agent/values/http-exchange.ts';
import { classifyError } from '../attempt/errors.ts';
import type { Observations } from '../run/observations.ts';
import { inToolScope, runTool, scopeOf } from './tool-call.ts';
import { inlineContext } from './tool-context.ts';

/** The run of an inline call, and the activity that makes it. */
export interface InlinePlace {
  /** As the id of the call's own activity would be. */
  id: string;
  meta: ToolCallMeta;
  context: Context;
  /** Aborted with the surrounding activity. */
  signal: AbortSignal;
}

/** A tool used a feature that inline attempts lack. */
class NotInline extends Error {
  override name = 'NotInline';
}

/**
 * The first attempt of a tool's call, within another activity: it has no heartbeat, so it cannot store anything. A call
 * that needs more time or room, or a feature that only an activity has, is left to the tool's activity.
 */
export async function runInline(
  tool: Tool,
  input: Json,
  { id, meta, context, signal: outer }: InlinePlace,
  observations: Observations,
): Promise<InlineCall> {
  const start = performance.now();
  const attempted = () => ({ id, ms: Math.round(performance.now() - start) });
  let isMissed = false;
  const miss = () => {
    isMissed = true;
    throw new NotInline();
  };
  const signal = AbortSignal.any([outer, AbortSignal.timeout(limits.inlineMs)]);
  const own = inlineContext(tool, input, meta, { context, signal }, miss);
  try {
    const told = inToolScope(scopeOf(tool, meta, context), () =>
      runTool(tool, input, own, meta.maxOutputChars),
    );
    const result = await orAborted(told, signal);
    // The tool may have caught the error about a missing feature.
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
