import type { OperatorDecision } from '../../agent/events.ts';
import type { Json, RunStatus } from '../../agent/vocabulary.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import { placeOfRun } from '../../client/place.ts';
import { exitCodes } from '../exit-codes.ts';
import { finish } from '../follow/finish.ts';
import { follow } from '../follow/follow.ts';
import { type Io, printJson, say } from '../io.ts';
import { type CommonOptions, flagsToRepeat } from '../options.ts';
import { oneLine } from '../print/display.ts';
import { attended, withRun } from '../with-run.ts';

export interface RetryOptions extends CommonOptions {
  input?: string;
}

export interface ReasonOptions extends CommonOptions {
  reason?: string;
}

/** `reloop retry`: runs a waiting call again. */
export function retry(io: Io, id: string, call: string | undefined, options: RetryOptions): Promise<number> {
  const { input } = options;
  const decision = input === undefined ? {} : { input: jsonOrText(input) };
  return decide(io, id, call, { type: 'retry', ...decision }, options);
}

/** `reloop resolve`: gives a waiting call its result. */
export function resolve(
  io: Io,
  id: string,
  call: string,
  output: string,
  options: CommonOptions,
): Promise<number> {
  return decide(io, id, call, { type: 'resolve', output: jsonOrText(output) }, options);
}

/** `reloop skip`: goes on without a waiting call. */
export function skip(io: Io, id: string, call: string | undefined, options: ReasonOptions): Promise<number> {
  const { reason } = options;
  return decide(io, id, call, { type: 'skip', reason }, options);
}

/** `reloop cancel`: one running call, or the run. */
export function cancel(
  io: Io,
  id: string,
  call: string | undefined,
  options: ReasonOptions,
): Promise<number> {
  const { reason } = options;
  if (call !== undefined) {
    return decide(io, id, call, { type: 'cancelCall', reason }, options);
  }
  const cancelRun = async (run: AgentRun) => {
    await run.cancel();
    return { id, decision: 'cancel' };
  };
  return decided(io, id, cancelRun, options, 'cancelled');
}

function decide(
  io: Io,
  id: string,
  call: string | undefined,
  decision: OperatorDecision,
  options: CommonOptions,
): Promise<number> {
  return decided(io, id, async (run) => ({ id, ...(await run.decide(call, decision)) }), options);
}

/** What was recorded of a decision. */
interface Receipt {
  id: string;
  decision: string;
  call?: string;
  n?: number;
}

/**
 * Where this process has to be the run's worker, it stays to see what becomes of the decision; else it goes at once.
 * A run that ends with the status `wanted` has done as it was told.
 */
async function decided(
  io: Io,
  id: string,
  act: (run: AgentRun) => Promise<Receipt>,
  options: CommonOptions,
  wanted?: RunStatus,
): Promise<number> {
  const { json = false } = options;
  return withRun(io, options, id, async ({ context, run, ours }) => {
    const receipt = await attended(
      context,
      () => placeOfRun(context.client.temporal, run.id),
      () => act(run),
    );
    const { call = '', n, decision } = receipt;
    say(io, `Recorded for run ${oneLine(id)}: ${decision} ${call}`.trimEnd());
    if (json) printJson(io, receipt);
    if (!ours) return exitCodes.answered;
    const followed = await follow(io, context, run, {
      // A run that is to end may still wait; any other has come to where it needs a person again.
      untilWaiting: wanted === undefined,
      onInterrupt: 'leave',
      flags: flagsToRepeat(options),
      decided: n === undefined ? undefined : { call, n },
    });
    if (followed.type === 'ended' && followed.report.status === wanted) {
      return exitCodes.answered;
    }
    return finish(io, run, followed, json ? 'nothing' : 'answer');
  });
}

/** A tool with one plain string gets the text as it was typed; only an object or an array is meant as JSON. */
function jsonOrText(text: string): Json {
  try {
    const value = JSON.parse(text) as Json; // whatever it is, it was parsed from JSON
    return value !== null && typeof value === 'object' ? value : text;
  } catch {
    return text;
  }
}
