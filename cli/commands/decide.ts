import { readToken } from '../../agent/calls/defer-token.ts';
import type { DecisionData } from '../../agent/rules/gate.ts';
import { type DecisionName, effectOf, ruleOf } from '../../agent/rules/decisions.ts';
import type { RunStatus } from '../../agent/values/vocabulary.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { locationOfRun } from '../../client/read/run-location.ts';
import { type Io, UsageError, asTyped, exitCodes, printJson, say } from '../shell/io.ts';
import { followToEnd } from '../follow/finish.ts';
import type { CommonOptions } from '../options/options.ts';
import { type DecisionWords, jsonOrText, typedDecision } from '../options/typed-decision.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { runPage, sayPage } from '../connection/web-ui.ts';
import { type OpenedRun, attended, withRun, workFor } from '../connection/command-worker.ts';
import { withHistory } from '../connection/context.ts';
import { retryRun } from './restart.ts';
import { readDeferred } from '../../client/connect/deferred-token.ts';
import { TO_WRITE, typedCommand } from '../../client/connect/cli-name.ts';

export interface ReasonOptions extends CommonOptions {
  reason?: string;
}

/** `reloop retry`, `resolve` and their kin: records a person's decision of a call. */
export async function decide(
  io: Io,
  idOrToken: string,
  type: DecisionName,
  { call: named, ...typed }: DecisionWords,
  options: CommonOptions,
): Promise<number> {
  // The token of a deferred call names the run.
  const isToken = ruleOf(type).takes.token !== undefined && readToken(idOrToken) !== undefined;
  const { id, call, token } = isToken
    ? readDeferred(idOrToken)
    : { id: idOrToken, call: named, token: undefined };
  const decision = typedDecision(type, { ...typed, token });
  return withHistory(io, options, id, async (context, run) => {
    // No call waits in a run that is over: `retry` then restarts the run itself.
    if (type === 'retry' && !(await locationOfRun(context.client.temporal, id)).open) {
      const input = typed.input === undefined ? undefined : jsonOrText(typed.input);
      return retryRun(io, context, run, { call, input }, options);
    }
    const act = async () => {
      if (call === undefined && typed.output !== undefined) await checkNoCall(run, type, typed.output);
      return { id, ...(await run.decide(call, decision)) };
    };
    return carryOut(
      io,
      await workFor(context, run, options),
      act,
      options,
      wantedEnds[effectOf(decision).type],
    );
  });
}

/** The end of the run that a decision asks for, by the effect of the decision. */
export const wantedEnds: { readonly [E in ReturnType<typeof effectOf>['type']]: ExpectedEnd } = {
  none: 'nothing',
  fail: 'failed',
  stop: 'stopped',
  again: 'an answer',
  now: 'an answer',
  end: 'an answer',
  cancel: 'an answer',
};

/** `reloop cancel`: one running call, or the run. */
export function cancel(
  io: Io,
  id: string,
  call: string | undefined,
  options: ReasonOptions,
): Promise<number> {
  const { reason } = options;
  if (call !== undefined) return decide(io, id, 'cancelCall', { call, reason }, options);
  const cancelRun = async (run: AgentRun) => {
    await run.cancel();
    return { id, decision: 'cancel' };
  };
  return decided(io, id, cancelRun, options, 'cancelled');
}

interface Receipt extends Pick<DecisionData, 'call'> {
  id: string;
  decision: string;
  n?: number;
}

/** The expected result of a decision: the run ends with this status, with its answer, or continues. */
export type ExpectedEnd = Extract<RunStatus, 'cancelled' | 'failed' | 'stopped'> | 'an answer' | 'nothing';

/** Opens a run and carries out a decision on it. */
export async function decided(
  io: Io,
  id: string,
  act: (run: AgentRun) => Promise<Receipt>,
  options: CommonOptions,
  wanted: ExpectedEnd,
): Promise<number> {
  return withRun(io, options, id, (opened) => carryOut(io, opened, () => act(opened.run), options, wanted));
}

/**
 * Carries out a decision. If this process has to be the worker of the run, it stays until the run ends or waits; otherwise it
 * ends at once. A run that ends with the status `wanted` ends as decided.
 */
async function carryOut(
  io: Io,
  opened: OpenedRun,
  act: () => Promise<Receipt>,
  options: CommonOptions,
  wanted: ExpectedEnd,
): Promise<number> {
  const { json = false } = options;
  const { context, run, ours } = opened;
  const { id } = run;
  const receipt = await attended(context, () => locationOfRun(context.client.temporal, id), act);
  const { call = '', n, decision } = receipt;
  say(io, `Recorded for run ${oneLine(id)}: ${asTyped(decision)} ${call}`.trimEnd());
  sayPage(io, context, id);
  if (json) printJson(io, { ...receipt, url: runPage(context, id) });
  if (!ours || wanted === 'nothing') return exitCodes.answered;
  return followToEnd(io, opened, options, {
    // A run that is to end may still wait; any other has come to where it needs a person again.
    untilWaiting: wanted === 'an answer',
    onInterrupt: 'leave',
    decided: n === undefined ? undefined : { call, n },
    printed: json ? 'nothing' : 'answer',
    endsAs: wanted === 'an answer' ? undefined : wanted,
  });
}

/** The call may be left out, the result may not: a result that is the waiting call's id is a result left out. */
async function checkNoCall(run: AgentRun, type: DecisionName, output: string): Promise<void> {
  const { waiting } = await run.describe();
  if (!waiting.some(({ call }) => call === output)) return;
  throw new UsageError(
    `${type}: ${output} is the call that waits. Its result is missing: ${typedCommand(type, [run.id, output, TO_WRITE])}`,
  );
}
