import type { Client } from '@temporalio/client';
import { limits } from '../../agent/values/limits.ts';
import { clientToolsOf, withoutClientTools } from '../../agent/definition/client-tools.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { RunContext } from '../../agent/definition/run-context.ts';
import { type RunOverrides, type StartOverrides, overridesOf } from '../../agent/start/overrides.ts';
import { jsonBytes } from '../../agent/values/digest.ts';
import { type Entry, hasResult, withObservations, withRunId } from '../../agent/transcript/entries.ts';
import { plainJson, wellFormed } from '../../agent/values/values.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { InvalidInput } from '../connect/errors.ts';
import { type RestartReceipt, type RunToRestart, runToRestart, startFork } from './restart-run.ts';
import {
  type RecordedModelCall,
  type RecordedPoint,
  pointBefore,
  withLateResults,
} from '../../history/views/restart-point.ts';
import { restartInput } from './restart-input.ts';
import { checkId, newRunId } from '../start/run-id.ts';
import { modelCallAt } from './rewind.ts';

/** The model, the limits and the context replace those of the run from that step on. */
export interface ForkOptions extends Pick<
  StartOverrides,
  'model' | 'maxIterations' | 'maxExecutionTime' | 'context'
> {
  /** The first step that is done again. */
  step: number;
  /** A message that the model sees at that step. */
  say?: string | undefined;
  /** New observations of earlier calls, by call: `{ '2.1': 'none found' }`. */
  edits?: { [call: string]: unknown } | undefined;
  /** Keep the tools that the caller of the run brought: the fork is that caller's too. Default: the model does not get them any more. */
  keepClientTools?: boolean | undefined;
  /** Id of the new run. Default: the agent's name and a random suffix. */
  id?: string | undefined;
}

/**
 * Starts a new run that keeps the steps of another run before `step`, with the changes in `options`. The other run does not change.
 * Needs no worker. Throws RunNotFound, and InvalidInput for options that do not fit the run.
 */
export async function fork(client: Client, id: string, options: ForkOptions): Promise<RestartReceipt> {
  if (options.id !== undefined) checkId(options.id);
  const { keepClientTools = false } = options;
  const { model, context, tags, tenant, priority, ...limitsGiven } = overridesOf(options);
  if ((tags ?? tenant ?? priority) !== undefined)
    throw new InvalidInput('A fork keeps the tags, the tenant and the priority of its run: leave them out.');
  const edits = checkedEdits(options.edits);
  const say = checkedMessage(options.say);
  const run = await runToRestart(client, id, 'fork');
  const { step } = options;
  const modelCall = modelCallAt('fork', run, step);
  const point = withLateResults(
    edits.size === 0 ? pointBefore(modelCall) : pointBeforeEdits(run, modelCall, edits),
    run.record,
    modelCall,
  );
  const input = await restartInput(
    client,
    run,
    {
      by: 'fork',
      step,
      edited: edits.size === 0 ? undefined : [...edits.keys()],
      said: say === undefined ? [] : [say],
    },
    point,
  );
  const change = (agent: AgentManifest) => withTools(withContext(agent, context), keepClientTools);
  const manifest = input.manifest && change(withLimits(input.manifest, limitsGiven));
  const isOther = manifest?.context !== input.manifest?.context || manifest?.tools !== input.manifest?.tools;
  const { pending = [] } = input;
  return startFork(client, options.id ?? newRunId(input.agent), run, {
    ...input,
    manifest,
    // The transcript has the agent with the context and the tools of the other run.
    pending: manifest !== undefined && isOther ? [...pending, { type: 'agent', manifest }] : pending,
    agents: input.agents?.map(change),
    overrides: model === undefined ? input.overrides : { model },
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

function withContext(manifest: AgentManifest, context: RunContext | undefined): AgentManifest {
  return context === undefined ? manifest : { ...manifest, context };
}

function withTools(manifest: AgentManifest, keeps: boolean): AgentManifest {
  return keeps || clientToolsOf(manifest).length === 0 ? manifest : withoutClientTools(manifest);
}

/** The point before the first model call that saw an edited observation. Later entries up to `at` become pending. */
function pointBeforeEdits(
  { id, record }: RunToRestart,
  at: RecordedModelCall,
  edits: Map<string, Json>,
): RecordedPoint {
  const modelCalls = record.modelCalls.slice(0, record.modelCalls.indexOf(at) + 1);
  const shown = modelCalls.map(({ delta }) =>
    delta.flatMap((entry) => (hasResult(entry) ? [entry.call] : [])),
  );
  const unknown = [...edits.keys()].filter((call) => shown.every((calls) => !calls.includes(call)));
  if (unknown.length > 0) {
    const known = shown.flat().join(', ') || 'none';
    throw new InvalidInput(
      `fork: call ${unknown.join(', ')} cannot be edited at step ${at.step} of run ${id}: only calls before that step can be (here: ${known}).`,
    );
  }
  const index = shown.findIndex((calls) => calls.some((call) => edits.has(call)));
  const [first, ...rest] = modelCalls.slice(index);
  if (first === undefined) return pointBefore(at);
  const pending = [first, ...rest].flatMap((modelCall) =>
    entriesFor(modelCall === at ? pointBefore(at).pending : modelCall.carried, modelCall.run, first),
  );
  const { entries, size } = beforeSummaries(withObservations(pending, edits), at, first);
  const { manifest } = at;
  return { ...pointBefore(first), pending: entries, manifest, counters: { ...at, size }, from: at.kept };
}

/**
 * Takes back the compactions of the entries, since their summaries have the observations from before the edit. The prompt is as long
 * again as at the last of these compactions, if not longer.
 */
function beforeSummaries(
  entries: readonly Entry[],
  at: RecordedModelCall,
  first: RecordedModelCall,
): { entries: Entry[]; size: RecordedModelCall['size'] } {
  const full = entries.filter(({ type }) => type !== 'summary');
  if (full.length === entries.length) return { entries: full, size: at.size };
  return { entries: full, size: { tokens: Number.MAX_SAFE_INTEGER, turns: at.step - first.step + 1 } };
}

/** Adds the run's id to references in entries of another run than the first one. */
function entriesFor(
  delta: readonly Entry[],
  run: RecordedModelCall['run'],
  first: RecordedModelCall,
): Entry[] {
  return run.runId === first.run.runId ? [...delta] : withRunId(delta, run.runId, run.workflowId);
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
  const bytes = jsonBytes(value);
  if (bytes <= limits.decisionBytes) return value;
  throw new InvalidInput(
    `fork: ${what} takes ${bytes} bytes; at most ${limits.decisionBytes} can be recorded.`,
  );
}
