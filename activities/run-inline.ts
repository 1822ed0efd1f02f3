import { Context, log } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import {
  type InlineCall,
  type LocalCall,
  NOT_INLINE,
  type ToolCallMeta,
  type ToolResult,
} from '../agent/calls.ts';
import { limits } from '../agent/limits.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import { boundedText } from '../agent/values.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { Tool, ToolContext } from '../tools/tool.ts';
import { orAborted } from './attempt.ts';
import { classifyError } from './errors.ts';
import { failureOf } from './failure.ts';
import type { Observations } from './observations.ts';
import { idempotencyKey, runTool, scopeOf, tellModel } from './tool-call.ts';
import { inToolScope } from './tool-scope.ts';

/** What an attempt within the workflow task has not: it needs an activity. */
class NotInline extends Error {
  override name = NOT_INLINE;
}

/**
 * The first attempt of a tool's call, as a local activity, within the workflow task: it has no heartbeat, so nothing can be
 * stored of it. A final failure is the call's; any other is followed by the tool's activity.
 */
export function createInlineTool(tool: Tool, observations: Observations) {
  return async (input: Json, { id, meta }: InlineCall): Promise<ToolResult> => {
    const context = Context.current();
    const start = performance.now();
    const local = (): LocalCall => ({ id, input, ms: Math.round(performance.now() - start) });
    const missed: string[] = [];
    const signal = AbortSignal.any([context.cancellationSignal, AbortSignal.timeout(limits.inlineMs)]);
    const own = inlineContext(tool, input, meta, signal, (what) => {
      missed.push(what);
      throw new NotInline();
    });
    try {
      const told = inToolScope(scopeOf(tool, meta, context), () =>
        tellModel(meta.maxOutputChars, () => runTool(tool, input, own)),
      );
      const result = await orAborted(told, signal);
      // The tool may have caught it: what it asked for says why.
      if (missed.length > 0) throw new NotInline();
      if (utf8Length(JSON.stringify(result.output)) > limits.inlineResultBytes)
        throw new NotInline(`${tool.name} returns more than ${limits.inlineResultBytes / 1000} KB`);
      observations.remember({ ...context.info, activityId: id, attempt: 1 }, result.output);
      return { ...result, local: local() };
    } catch (error) {
      // Cancelled by the workflow, it is not waited for; by a worker that ends, it is begun anew.
      if (missed.length > 0) throw notInline(`${tool.name} asks for ${missed.join(', ')}`);
      if (error instanceof NotInline) throw notInline(error.message);
      if (signal.aborted) throw notInline(`${tool.name} takes longer than ${limits.inlineMs / 1000} s`);
      const classified = classifyError(error);
      const exhausted = classified.retryable && meta.retry.maxAttempts === 1;
      const isFinal = !classified.retryable || exhausted;
      const mayPass = exhausted || classified.mayPass === true;
      const details = { exhausted: (isFinal && mayPass) || undefined, local: local() };
      throw failureOf(classified, details, { nonRetryable: isFinal });
    }
  };
}

/** For the workflow: the call is to be begun as an activity. */
export function notInline(message: string): Error {
  // Benign: nothing that a log should warn of.
  return ApplicationFailure.create({
    type: NOT_INLINE,
    message,
    category: ApplicationFailureCategory.BENIGN,
  });
}

function inlineContext(
  tool: Tool,
  input: Json,
  meta: ToolCallMeta,
  signal: AbortSignal,
  miss: (what: string) => never,
): ToolContext {
  const said = { tool: tool.name, call: meta.call };
  return {
    signal,
    progress: () => undefined,
    checkpoint: async () => miss('a checkpoint'),
    lastCheckpoint: undefined,
    idempotencyKey: idempotencyKey(meta, tool.name, input),
    earlierCalls: async () => miss('its earlier calls'),
    complete: async () => miss("the agent's model"),
    commit: async () => undefined,
    defer: () => miss('its result from outside'),
    attempt: 1,
    callId: meta.call,
    runId: meta.root,
    log: {
      info: (text) => void log.info(boundedText(text, limits.logChars), said),
      warn: (text) => void log.warn(boundedText(text, limits.logChars), said),
    },
  };
}
