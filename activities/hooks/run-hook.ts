import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { z } from 'zod/v4';
import { withoutSchedule } from '../../agent/calls/calls.ts';
import type { HookContext, HookName, Hooks } from '../../agent/definition/hooks.ts';
import type { AgentManifest, RetryPolicy } from '../../agent/definition/manifest.ts';
import { orAborted } from '../../agent/values/concurrent.ts';
import { type Attempt, nextWait } from '../attempt/attempt.ts';
import { classifyError } from '../attempt/errors.ts';
import { inTime } from '../attempt/in-time.ts';
import type { Dependencies } from '../dependencies.ts';

/** The hooks of a config, for one model call or tool call. */
export interface CallHooks {
  hooks: Hooks;
  context: HookContext;
  /** Retry policy of the call: a hook that fails is called again by it. */
  retry: RetryPolicy;
}

/** The hooks for the call of an activity. undefined: the config has no hooks. Throws if the run started with hooks. */
export function callHooks(
  { hooks }: Pick<Dependencies, 'hooks'>,
  { name: agent, hooks: isHooked, context = {}, tenant }: AgentManifest,
  { context: { info }, signal }: Pick<Attempt, 'context' | 'signal'>,
  retry: RetryPolicy,
): CallHooks | undefined {
  if (hooks === undefined) {
    if (isHooked === true) throw hooksNotConfigured(agent);
    return undefined;
  }
  const runId = info.workflowExecution?.workflowId ?? '';
  const callId = withoutSchedule(info.activityId);
  return { hooks, retry, context: { agent, runId, callId, context, tenant, signal } };
}

/** Retryable: another worker may have the hooks. */
function hooksNotConfigured(agent: string): ApplicationFailure {
  const message = `The run of agent "${agent}" started with \`hooks\`, which the config of this worker does not have. Add them again.`;
  return ApplicationFailure.create({ type: 'HooksNotConfigured', message });
}

/** A hook has failed for the last time. A person may have the call made again. */
export class HookFailed extends Error {
  override name = 'HookFailed';
  readonly retryable = false;
  readonly mayPass = true;

  constructor(hook: HookName, why: string, options?: ErrorOptions) {
    super(`The hook ${hook} failed, so the call did not pass: ${why}`, options);
  }
}

/** A hook does not let a request or a reply pass. */
export class HookBlocked extends Error {
  override name = 'HookBlocked';
  readonly retryable = false;
}

const chatMessage = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.null(), z.array(z.looseObject({ type: z.string() }))]),
});
const toolCall = z.strictObject({ id: z.string(), name: z.string(), arguments: z.string() });
const hidden = { hideBefore: z.boolean().optional() };
const block = z.strictObject({ block: z.string() });

/** Strict, since a misspelt field would let the call pass. */
const answers = {
  beforeModel: z.union([block, z.strictObject({ messages: z.array(chatMessage), ...hidden })]),
  afterModel: z.union([
    block,
    z.strictObject({ text: z.string().optional(), toolCalls: z.array(toolCall).optional(), ...hidden }),
  ]),
  beforeTool: z.union([
    z.strictObject({ refuse: z.string() }),
    z.strictObject({ input: z.unknown(), ...hidden }).required({ input: true }),
  ]),
  afterTool: z.strictObject({ observation: z.unknown(), ...hidden }).required({ observation: true }),
};

const SHAPES: { [name in HookName]: string } = {
  beforeModel: '{ messages } or { block }',
  afterModel: '{ text, toolCalls } or { block }',
  beforeTool: '{ input } or { refuse }',
  afterTool: '{ observation }',
};

type AnswerOf<Name extends HookName> = z.output<(typeof answers)[Name]>;

/** Calls a hook until it answers. undefined: it changes nothing. Throws {@link HookFailed}, and the reason of an aborted signal. */
export async function runHook<Name extends HookName>(
  { retry, context: { signal } }: Pick<CallHooks, 'retry' | 'context'>,
  name: Name,
  ask: () => unknown,
): Promise<AnswerOf<Name> | undefined> {
  for (let failures = 1; ; failures++) {
    try {
      const asked = Promise.resolve().then(ask);
      return readAnswer(name, await orAborted(inTime(asked, 'gave no answer'), signal));
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof HookFailed) throw error;
      const { retryable, retryAfterMs, message } = classifyError(error);
      if (!retryable || failures >= retry.maxAttempts) throw new HookFailed(name, message, { cause: error });
      await sleep(nextWait(retry, failures, retryAfterMs), undefined, { signal });
    }
  }
}

/** A hook may be in JavaScript, and return anything. */
function readAnswer<Name extends HookName>(name: Name, answer: unknown): AnswerOf<Name> | undefined {
  if (answer === undefined) return undefined;
  const read = answers[name].safeParse(answer);
  if (read.success) return read.data as AnswerOf<Name>; // parsed by its schema
  throw new HookFailed(name, `it has to return ${SHAPES[name]}, or nothing for no change.`);
}
