import type { ApplicationFailure } from '@temporalio/activity';
import { BUDGET_USED_UP } from '../../agent/budgets/budget-rule.ts';
import type { AgentModel } from '../../agent/definition/agent-models.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { ModelLimits } from '../../agent/model-limits/lease-request.ts';
import { fieldOf, finiteMs } from '../../agent/values/values.ts';
import type { Model, ModelCallContext, RateLimit } from '../../adapters/models/model.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { heldBack, mayLeave } from './held-back.ts';
import type { LimitedCalls, ModelLimiter, NamedLimits } from './model-limiter.ts';
import { noAnswerWords } from './no-answer-words.ts';
import type { LimitedCall, Permit } from './waiting-calls.ts';

/** A call that waits longer leaves its place in the worker to another call, and comes back later. */
const PLACE_MS = 3_000;
/** Bounds of the time until the call comes back. */
const BACK_LEAST_MS = 2_000;
const BACK_MOST_MS = 30_000;
/** Pause of all workers after an answer 429 that gives no time. */
const HOLD_MS = 1_000;

/** The same model, whose requests wait for the limits that the config gives it. */
export function limitedModel(
  model: Model,
  limiter: ModelLimiter | undefined,
  asked: AgentModel,
  manifest: Pick<AgentManifest, 'name' | 'tenant' | 'priority' | 'holdsBack'>,
  attempt: Attempt,
): Model {
  const named = limiter?.limitsOf(asked);
  if (limiter === undefined || named === undefined) return model;
  const { client, info } = attempt.context;
  const calls = limiter.callsOf(client, info.taskQueue, named);
  const { name: agent, tenant = '', priority } = manifest;
  return {
    async call(request, context) {
      const since = attempt.heartbeat.record.waitsSince ?? Date.now();
      const caller = { tenant, priority, agent, tokens: () => calls.of(agent, request), since };
      const permit = await permitOf(calls, caller, {
        named,
        leaves: mayLeave(manifest, attempt),
        attempt,
        context,
      });
      limiter.waited?.({ agent, model: named.name, ms: Date.now() - since });
      let limit: RateLimit = {};
      const onRateLimit = (sent: RateLimit) => {
        limit = sent;
        calls.remains({ requests: sent.requests, tokens: sent.tokens });
        context.onRateLimit?.(sent);
      };
      try {
        const reply = await model.call(request, { ...context, onRateLimit });
        const tokens = reply.usage?.totalTokens || undefined;
        if (tokens !== undefined) calls.learn(agent, request, tokens);
        permit.end(tokens);
        return reply;
      } catch (error) {
        const type = fieldOf(error, 'type');
        const isUnsent = fieldOf(error, 'heldBack') === true || type === BUDGET_USED_UP;
        const isRefused = !isUnsent && type === 'ModelRateLimited';
        if (isUnsent) permit.giveBack();
        else permit.end(isRefused ? 0 : undefined);
        if (isRefused && fieldOf(error, 'retryable') !== false) {
          calls.hold(finiteMs(fieldOf(error, 'retryAfterMs')) ?? limit.resetMs ?? HOLD_MS);
        }
        throw error;
      }
    },
  };
}

interface LimitedRequest {
  named: NamedLimits;
  /** The attempt ends before the request if the wait is long. */
  leaves: boolean;
  attempt: Attempt;
  context: ModelCallContext;
}

/** Waits for the limits. Throws a failure that holds the call back, so that the call comes again, and the signal's reason. */
async function permitOf(
  calls: LimitedCalls,
  caller: LimitedCall,
  { named, leaves, attempt, context }: LimitedRequest,
): Promise<Permit> {
  const { heartbeat } = attempt;
  const { progress } = heartbeat.record;
  const end = new AbortController();
  const timer = leaves ? setTimeout(() => end.abort(), PLACE_MS) : undefined;
  heartbeat.set({ progress: waitText(named, calls) });
  try {
    const permit = await calls.wait(caller, AbortSignal.any([context.signal, end.signal]));
    heartbeat.set({ waitsSince: undefined });
    return permit;
  } catch (error) {
    if (context.signal.aborted) throw error;
    heartbeat.set({ waitsSince: caller.since });
    throw waitFailure(calls.waitMs, waitText(named, calls));
  } finally {
    clearTimeout(timer);
    heartbeat.set({ progress });
  }
}

/** The failure of an attempt that waits. Times are spread, so that there are always calls that wait. */
function waitFailure(waitMs: number, message: string): ApplicationFailure {
  const longest = Math.min(BACK_MOST_MS, Math.max(BACK_LEAST_MS, 2 * waitMs));
  const retryAfterMs = BACK_LEAST_MS + Math.round(Math.random() * (longest - BACK_LEAST_MS));
  return heldBack(message, retryAfterMs);
}

function waitText({ name, limits }: NamedLimits, { problem, workflowId }: LimitedCalls): string {
  const text = `waits for the limits of the model "${name}": ${limitWords(limits).join(', ')}`;
  return problem === undefined ? text : `${text}. ${noAnswerWords(workflowId, problem)}`;
}

function limitWords({ rpm, tpm, concurrency }: ModelLimits): string[] {
  return [
    ...(rpm === undefined ? [] : [`${rpm} requests a minute`]),
    ...(tpm === undefined ? [] : [`${tpm} tokens a minute`]),
    ...(concurrency === undefined ? [] : [`${concurrency} requests at a time`]),
  ];
}
