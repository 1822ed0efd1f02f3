import { readToken } from '../../agent/defer-token.ts';
import type { DecisionData } from '../../agent/rules/gate.ts';
import {
  type DecisionName,
  type OperatorDecision,
  decisionOf,
  effectOf,
  ruleOf,
} from '../../agent/rules/decisions.ts';
import type { RunStatus } from '../../agent/vocabulary.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import { placeOfRun } from '../../client/place.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { finish } from '../follow/finish.ts';
import { follow } from '../follow/follow.ts';
import { type Io, printJson, say } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { jsonOrText } from '../json-or-text.ts';
import { oneLine } from '../print/display.ts';
import { runPage, sayPage } from '../web-ui.ts';
import { attended, withHistory, withRun } from '../with-run.ts';
import { retryRun } from './retry-run.ts';

/** What was typed beside the decision and its run. */
export interface Typed {
  call?: string | undefined;
  input?: string | undefined;
  output?: string | undefined;
  reason?: string | undefined;
  remember?: 'tool' | 'input' | undefined;
}

export interface ReasonOptions extends CommonOptions {
  reason?: string;
}

/** `reloop retry`, `resolve` and their kin: records a person's decision of a call. */
export async function decide(
  io: Io,
  id: string,
  type: DecisionName,
  typed: Typed,
  options: CommonOptions,
): Promise<number> {
  // In a run that is over no call waits; what failed of it is the run.
  if (type === 'retry' && (await isOver(io, id, options))) {
    const { call, input } = typed;
    return retryRun(io, id, { call, input: input === undefined ? undefined : jsonOrText(input) }, options);
  }
  return decideOnCall(io, id, type, typed, options);
}

function isOver(io: Io, id: string, options: CommonOptions): Promise<boolean> {
  return withHistory(io, options, id, async ({ client }) => !(await placeOfRun(client.temporal, id)).open);
}

function decideOnCall(
  io: Io,
  idOrToken: string,
  type: DecisionName,
  { call: named, ...typed }: Typed,
  options: CommonOptions,
): Promise<number> {
  // Whoever was given a deferred call's token need not know its run.
  const token = ruleOf(type).takes.token === undefined ? undefined : readToken(idOrToken);
  const { id, call } = token ?? { id: idOrToken, call: named };
  const decision = typedDecision(type, { ...typed, token: token && idOrToken });
  const act = async (run: AgentRun) => {
    if (call === undefined && typed.output !== undefined) await checkNoCall(run, type, typed.output);
    return { id, ...(await run.decide(call, decision)) };
  };
  switch (effectOf(decision).type) {
    case 'none':
      return decided(io, id, act, options, 'nothing');
    case 'fail':
      return decided(io, id, act, options, 'failed');
    case 'stop':
      return decided(io, id, act, options, 'stopped');
    case 'again':
    case 'end':
    case 'cancel':
      return decided(io, id, act, options, 'an answer');
  }
}

/** A decision out of what was typed with it. */
export function typedDecision(
  type: DecisionName,
  { input, output, ...words }: Omit<Typed, 'call'> & { token?: string | undefined },
): OperatorDecision {
  return decisionOf(type, {
    input: input === undefined ? undefined : jsonOrText(input),
    output: output === undefined ? undefined : jsonOrText(output),
    ...words,
  });
}

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

/** What was recorded of a decision. */
interface Receipt extends Pick<DecisionData, 'call'> {
  id: string;
  decision: string;
  n?: number;
}

/** What a decision leads to: the run's end of this status, its answer, or no more than before. */
type Wanted = Extract<RunStatus, 'cancelled' | 'failed' | 'stopped'> | 'an answer' | 'nothing';

/**
 * Where this process has to be the run's worker, it stays to see what becomes of the decision; else it goes at once.
 * A run that ends with the status `wanted` has done as it was told.
 */
export async function decided(
  io: Io,
  id: string,
  act: (run: AgentRun) => Promise<Receipt>,
  options: CommonOptions,
  wanted: Wanted,
): Promise<number> {
  const { json = false } = options;
  return withRun(io, options, id, async ({ context, run, ours }) => {
    const receipt = await attended(
      context,
      () => placeOfRun(context.client.temporal, run.id),
      () => act(run),
    );
    const { call = '', n, decision } = receipt;
    // The update has a name of its own; the command that sent it is `cancel`.
    const verb = decision === 'cancelCall' ? 'cancel' : decision;
    say(io, `Recorded for run ${oneLine(id)}: ${verb} ${call}`.trimEnd());
    sayPage(io, context, id);
    if (json) printJson(io, { ...receipt, url: runPage(context, id) });
    if (!ours || wanted === 'nothing') return exitCodes.answered;
    const followed = await follow(io, context, run, {
      // A run that is to end may still wait; any other has come to where it needs a person again.
      untilWaiting: wanted === 'an answer',
      onInterrupt: 'leave',
      flags: flagsToRepeat(options),
      decided: n === undefined ? undefined : { call, n },
    });
    if (followed.type === 'ended' && followed.report.status === wanted) {
      return exitCodes.answered;
    }
    return finish(io, run, followed, json ? 'nothing' : 'answer', ours);
  });
}

/** The call may be left out, the result may not: a result that is the waiting call's id is a result left out. */
async function checkNoCall(run: AgentRun, type: DecisionName, output: string): Promise<void> {
  const { waiting } = await run.describe();
  if (!waiting.some(({ call }) => call === output)) return;
  throw new UsageError(
    `${type}: ${output} is the call that waits. Its result is missing: reloop ${type} ${run.id} ${output} "…"`,
  );
}
