import {
  type InlineCall,
  type ToolCallMeta,
  type TurnDecision,
  activityId,
  withoutSchedule,
} from '../../agent/calls/calls.ts';
import { limits } from '../../agent/values/limits.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { orAborted } from '../../agent/values/concurrent.ts';
import { withTimeLimit } from '../../adapters/net/time-limit.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { CallHooks } from '../hooks/run-hook.ts';
import type { Observations } from '../run/observations.ts';
import { runTool } from '../tool/tool-call.ts';
import { inToolScope, scopeOf } from '../tool/tool-scope.ts';
import { inlineContext } from '../tool/tool-context.ts';
import { afterTool } from '../tool/tool-hooks.ts';
import { classifyError } from '../attempt/errors.ts';
import { deathsInARow } from '../attempt/worker-deaths.ts';

/** The run and model call of the turn. */
export interface TurnPlace {
  manifest: AgentManifest;
  scope: number;
  /** `3`, of the model call. */
  step: string;
  /** First run of the lineage. */
  root: string;
  /** Number of the first schedule of each call. */
  firstN: number;
}

/**
 * Runs the inline calls of a model's decision in parallel, in the model call's own activity: such a step is one
 * activity. Inline tools have no effects, because the decision may be lost with this activity.
 */
export async function runInlineCalls(
  tools: ReadonlyMap<string, Tool>,
  decision: TurnDecision,
  { manifest, scope, step, root, firstN }: TurnPlace,
  attempt: Attempt,
  { remember }: Observations,
  hooks: CallHooks | undefined,
): Promise<InlineCall[] | undefined> {
  if (decision.type !== 'act') return undefined;
  // If this activity's worker died, an inline call may have killed it: from then on each call has an activity that
  // counts deaths.
  const mayRun = deathsInARow(attempt.context.info.attempt, attempt.heartbeat.record) === 0;
  const calls = decision.actions.map(async ({ tool: name, toolInput, observation, approval }, index) => {
    const pinned = manifest.tools.find((tool) => tool.name === name);
    if (pinned?.inline !== true || pinned.effects !== 'none') return [];
    if (observation !== undefined || approval !== undefined) return [];
    const call = `${step}.${index + 1}`;
    const id = activityId(scope, call, firstN);
    const found = tools.get(name);
    if (found === undefined || !mayRun) return [{ id, ms: 0 }];
    const tool = found.forAgent?.(manifest) ?? found;
    const { retry, timeoutMs, maxOutputChars } = pinned;
    const meta = { root, scope, call, retry, timeoutMs, maxOutputChars };
    return [await runInline(tool, toolInput, id, meta, attempt, { manifest, hooks })];
  });
  // The time-out of this activity limits the model's silence.
  attempt.clock.restart(manifest.params.requestTimeoutMs + limits.inlineMs);
  const inlineCalls = bounded((await Promise.all(calls)).flat());
  // Calls that are left to activities have no output yet.
  const { info } = attempt.context;
  for (const { id, result } of inlineCalls)
    if (result !== undefined) remember({ ...info, activityId: id }, result);
  return inlineCalls.length === 0 ? undefined : inlineCalls;
}

/** A tool used a feature that inline attempts lack. */
class NotInline extends Error {
  override name = 'NotInline';
}

/**
 * The first attempt of a tool's call, within another activity: it has no heartbeat, so it cannot store anything. A call
 * that needs more time or room, or a feature that only an activity has, is left to the tool's activity.
 */
async function runInline(
  tool: Tool,
  input: Json,
  id: string,
  meta: ToolCallMeta,
  attempt: Attempt,
  { manifest, hooks }: { manifest: AgentManifest; hooks: CallHooks | undefined },
): Promise<InlineCall> {
  const start = performance.now();
  const attempted = () => ({ id, ms: Math.round(performance.now() - start) });
  return withTimeLimit(limits.inlineMs, attempt.signal, async (signal) => {
    let isDeclined = false;
    const declineInline = () => {
      isDeclined = true;
      throw new NotInline();
    };
    const { context } = attempt;
    const own = inlineContext(tool, input, meta, { context, signal }, manifest, declineInline);
    const callId = withoutSchedule(id);
    const ownHooks = hooks && { ...hooks, retry: meta.retry, context: { ...hooks.context, callId, signal } };
    try {
      const running = inToolScope(scopeOf(tool, meta, context), () =>
        runTool(tool, input, own, meta.maxOutputChars),
      );
      const ended = await orAborted(running, signal);
      const result = await afterTool(ownHooks, tool.name, input, ended, meta.maxOutputChars);
      // The tool may have caught the error about a missing feature.
      const isTooLarge = jsonBytes(result.output) > limits.inlineResultBytes;
      if (isDeclined || isTooLarge) return attempted();
      const { currentAttemptScheduledTimestampMs: attemptScheduledAt } = context.info;
      return { ...attempted(), result: { ...result, attemptScheduledAt } };
    } catch (caught) {
      if (isDeclined || signal.aborted) return attempted();
      const { type, message, retryable, mayPass = false } = classifyError(caught);
      const exhausted = retryable && meta.retry.maxAttempts === 1;
      if (retryable && !exhausted) return { ...attempted(), again: true };
      return { ...attempted(), failed: { error: { type, message }, mayPass: exhausted || mayPass } };
    }
  });
}

/** Results are recorded with the reply; calls whose results are too large beside it are left to activities. */
function bounded(calls: InlineCall[]): InlineCall[] {
  let room = limits.inlineTurnBytes;
  return calls.map((call) => {
    room -= call.result === undefined ? 0 : jsonBytes(call.result.output);
    return room >= 0 ? call : { id: call.id, ms: call.ms };
  });
}
