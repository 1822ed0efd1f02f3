import type { Client } from '@temporalio/client';
import { limits } from '../../agent/values/limits.ts';
import type { Allowance, Counters } from '../../agent/limits/counters.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { type RunOverrides, type StartOverrides, overridesOf } from '../../agent/definition/overrides.ts';
import { withObservations } from '../../agent/run/transcript-edits.ts';
import { utf8Length } from '../../agent/values/digest.ts';
import { type Entry, withRunId } from '../../agent/transcript/entries.ts';
import { plainJson, wellFormed } from '../../agent/values/values.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { InvalidInput } from '../connect/errors.ts';
import { type RestartReceipt, type RunToRestart, runToRestart, startFork } from './begin-again.ts';
import { type Asked, type Beginning, beginningAt } from '../../history/views/restart-point.ts';
import { restartInput } from './restart-input.ts';
import { checkId, newRunId } from '../start/run-id.ts';
import { askedAt } from './rewind.ts';

/** The model and the limits are in place of the agent's, from that step on. */
export interface ForkOptions extends Pick<StartOverrides, 'model' | 'maxIterations' | 'maxExecutionTime'> {
  /** The first step that is done anew. */
  step: number;
  /** A message that the model sees there. */
  say?: string | undefined;
  /** Other observations of earlier calls, by the call: `{ '2.1': 'none found' }`. */
  edits?: { [call: string]: unknown } | undefined;
  /** Of the new run. Default: the agent's name and a number. */
  id?: string | undefined;
}

/**
 * A new run with the steps of another one up to `step`, changed as asked; the other one is left alone. Needs no worker.
 * Throws InvalidInput.
 */
export async function fork(client: Client, id: string, options: ForkOptions): Promise<RestartReceipt> {
  if (options.id !== undefined) checkId(options.id);
  const { model, ...limitsGiven } = overridesOf(options);
  const edits = checkedEdits(options.edits);
  const say = checkedMessage(options.say);
  const run = await runToRestart(client, id, 'fork');
  const { step } = options;
  const asked = askedAt('fork', run, step);
  const beginning = edits.size === 0 ? beginningAt(asked) : editedBeginning(run, asked, edits);
  const input = await restartInput(
    client,
    run,
    {
      by: 'fork',
      step,
      edited: edits.size === 0 ? undefined : [...edits.keys()],
      said: say === undefined ? [] : [say],
    },
    beginning,
  );
  const { manifest, counters } = input;
  return startFork(client, options.id ?? newRunId(input.agent), run, {
    ...input,
    manifest: manifest && withLimits(manifest, limitsGiven),
    counters: counters && withoutRaises(counters, limitsGiven),
    overrides: model === undefined ? undefined : { model },
  });
}

function withLimits(
  manifest: AgentManifest,
  {
    maxIterations = manifest.maxIterations,
    maxExecutionTimeMs = manifest.maxExecutionTimeMs,
  }: Pick<RunOverrides, 'maxIterations' | 'maxExecutionTimeMs'>,
): AgentManifest {
  return { ...manifest, maxIterations, maxExecutionTimeMs };
}

/** A limit that is given is the limit: what the other run's was raised by is no part of it. */
function withoutRaises(
  { allowance, ...counters }: Counters,
  { maxIterations, maxExecutionTimeMs }: RunOverrides,
): Counters {
  const { iterations, timeMs, ...rest } = allowance ?? {};
  const kept: Allowance = {
    ...rest,
    iterations: maxIterations === undefined ? iterations : undefined,
    timeMs: maxExecutionTimeMs === undefined ? timeMs : undefined,
  };
  return { ...counters, allowance: allowance && kept };
}

/** From before the first model call that was told of one of the calls; what was told since goes along. */
function editedBeginning({ id, standing }: RunToRestart, at: Asked, edits: Map<string, Json>): Beginning {
  const asked = standing.asked.slice(0, standing.asked.indexOf(at) + 1);
  const told = asked.map(({ delta }) =>
    delta.flatMap((entry) => (entry.type === 'step' ? [entry.call] : [])),
  );
  const unknown = [...edits.keys()].filter((call) => told.every((calls) => !calls.includes(call)));
  if (unknown.length > 0) {
    const known = told.flat().join(', ') || 'none';
    throw new InvalidInput(
      `fork: call ${unknown.join(', ')} cannot be edited at step ${at.step} of run ${id}: only calls before that step can be (here: ${known}).`,
    );
  }
  const first = told.findIndex((calls) => calls.some((call) => edits.has(call)));
  const [begun, ...rest] = asked.slice(first);
  if (begun === undefined) return beginningAt(at);
  const pending = [begun, ...rest].flatMap((one) =>
    abroadOf(one === at ? one.delta : one.told, one.run, begun),
  );
  return { ...beginningAt(begun), pending: withObservations(pending, edits), counters: at, from: at.kept };
}

/** What several runs have recorded stands together: each reference says which one's it is. */
function abroadOf(delta: readonly Entry[], run: Asked['run'], begun: Asked): Entry[] {
  return run.runId === begun.run.runId ? [...delta] : withRunId(delta, run.runId, run.workflowId);
}

function checkedMessage(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || text.trim() === '') throw new InvalidInput('fork: the message is empty.');
  return bounded('the message', wellFormed(text));
}

function checkedEdits(edits: { [call: string]: unknown } = {}): Map<string, Json> {
  return new Map(
    Object.entries(edits).map(([call, output]) => [
      call,
      bounded(`the observation of ${call}`, json(call, output)),
    ]),
  );
}

function json(call: string, value: unknown): Json {
  try {
    return plainJson(value);
  } catch (error) {
    throw new InvalidInput(
      `fork: the observation of ${call} cannot be recorded: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function bounded<T extends Json>(what: string, value: T): T {
  const bytes = utf8Length(JSON.stringify(value));
  if (bytes <= limits.decisionBytes) return value;
  throw new InvalidInput(
    `fork: ${what} takes ${bytes} bytes; at most ${limits.decisionBytes} can be recorded.`,
  );
}
