import type { Client } from '@temporalio/client';
import { isOpen } from '../../history/list/listed.ts';
import { schemaProblem } from '../../agent/rules/fits-schema.ts';
import { effectDigest } from '../../agent/rules/repeated.ts';
import { presetEnd } from '../../agent/rules/call-rules.ts';
import { limits } from '../../agent/values/limits.ts';
import { type PlannedAction, withoutCalls } from '../../agent/calls/calls.ts';
import { hasPersonsInput } from '../../agent/run/call-state.ts';
import type { AgentManifest, ToolManifest } from '../../agent/definition/manifest.ts';
import { type KeptEnd, type KeptTurn, callsWithoutEnd } from '../../agent/calls/restart.ts';
import { readToolResult } from '../../agent/calls/tool-result.ts';
import { canonicalJson } from '../../agent/values/json-object.ts';
import { type Mark, type ResultRef, type StepEntry, advance } from '../../agent/transcript/entries.ts';
import { utf8Length } from '../../agent/values/digest.ts';
import { plainJson } from '../../agent/values/values.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { DecisionRefused, InvalidInput } from '../connect/errors.ts';
import { type RestartReceipt, type RunToRestart, restartRun, runToRestart } from './restart-run.ts';
import {
  type ActivityResult,
  type RecordedModelCall,
  pointBefore,
  resultBudget,
  withLateResults,
} from '../../history/views/restart-point.ts';
import { type RestartInput, questionAgain, restartInput } from './restart-input.ts';
import { advised, typedCommand } from '../connect/cli-name.ts';
import { throwWithPause } from '../connect/paused-calls.ts';

export interface RetryRunOptions {
  /** The call that gets another input. */
  call?: string | undefined;
  input?: unknown;
}

export interface RetryReceipt extends RestartReceipt {
  /** The calls that are made again. Empty: the model is asked again. */
  calls: string[];
}

/**
 * Starts a failed, cancelled, or terminated run, or one that a budget stopped, again at the point where it ended, under its id. The model's replies are kept, and so
 * are the calls of the last turn that ended; the other calls are made again. Needs no worker. Throws DecisionRefused for a run that is
 * open or has its answer, InvalidInput for an input that does not fit.
 */
export async function retryRun(
  client: Client,
  id: string,
  options: RetryRunOptions = {},
): Promise<RetryReceipt> {
  const run = await runToRestart(client, id, 'retry');
  await checkEnded(client, run);
  const { input, calls } = await inputAgain(client, run, options);
  return { ...(await restartRun(client, run, input)), calls };
}

async function checkEnded(client: Client, { id, status, record }: RunToRestart): Promise<void> {
  if (isOpen(status)) {
    const open = `retry: run ${id} is open; only a call of the run that waits can be retried.`;
    return throwWithPause(client, id, undefined, new DecisionRefused(open));
  }
  // A budget may have been extended since it stopped the run.
  if (status !== 'COMPLETED' || record.budgetStopped === true) return;
  throw advised(
    new DecisionRefused(`retry: run ${id} has its answer: nothing failed.`),
    `To do a step again: ${typedCommand('rewind', [id], ['--step', 'STEP'])}`,
  );
}

async function inputAgain(
  client: Client,
  run: RunToRestart,
  options: RetryRunOptions,
): Promise<{ input: RestartInput; calls: string[] }> {
  const { record } = run;
  const modelCall = record.modelCalls.at(-1);
  const manifest = modelCall?.manifest ?? record.manifest;
  if (manifest === undefined || modelCall === undefined) {
    givenInput(run, options, []);
    return { input: questionAgain(run), calls: [] };
  }
  const { turn, step } = modelCall;
  if (turn?.decision.type !== 'act') {
    givenInput(run, options, []);
    const pointAgain = withLateResults(
      pointBefore({ ...modelCall, granted: record.granted }),
      record,
      modelCall,
    );
    const said = [...laterMessages(modelCall), ...record.undelivered];
    const input = await restartInput(client, run, { by: 'retry', step, said }, pointAgain);
    return { input, calls: [] };
  }
  const { spent, elapsedMs, granted } = record;
  const { actions } = turn.decision;
  const ends = await endsOf(run, manifest, step, actions);
  const calls = callsWithoutEnd(step, { turn, ends });
  const given = withLatestInputs(run, manifest, step, actions, givenInput(run, options, calls));
  const kept: KeptTurn = { turn: { ...withoutCalls(turn), decision: { type: 'act', actions: given } }, ends };
  const after = {
    run: modelCall.run,
    mark: markAfter(modelCall, turn.digest),
    pending: [],
    manifest,
    counters: {
      spent,
      elapsedMs,
      granted,
      repeat: turn.repeat ?? modelCall.repeat,
      size: turn.size ?? modelCall.size,
    },
    from: { workflowId: run.id, runId: run.runId },
  };
  const point = withLateResults(after, record, modelCall, { isAfter: true });
  return {
    input: await restartInput(
      client,
      run,
      { by: 'retry', step, turn: kept, said: record.undelivered },
      point,
    ),
    calls,
  };
}

/** Messages that arrived while the model call waited, and that only its later schedules carried. */
function laterMessages({ delta, carried }: RecordedModelCall): string[] {
  return carried.slice(delta.length).flatMap((entry) => (entry.type === 'message' ? [entry.text] : []));
}

/** Each call keeps its latest input. An approval holds for the approved input only; another input needs a new approval. */
function withLatestInputs(
  { record }: RunToRestart,
  { tools }: AgentManifest,
  step: number,
  actions: readonly PlannedAction[],
  given: GivenInput | undefined,
): PlannedAction[] {
  return actions.map(({ approved, effect, ...action }, index) => {
    const call = `${step}.${index + 1}`;
    const known = record.calls.get(call);
    const last = known?.byPerson === true ? known.action.toolInput : action.toolInput;
    const toolInput = given?.call === call ? checkedInput(tools, action, given) : last;
    const allowed = known?.approved ?? (approved && action.toolInput);
    const isApproved = allowed !== undefined && canonicalJson(allowed) === canonicalJson(toolInput);
    const isPersons = canonicalJson(toolInput) !== canonicalJson(action.toolInput);
    return {
      ...action,
      toolInput,
      ...(isPersons && { personsInput: true }),
      ...(effect !== undefined && {
        effect: effectDigest({ toolInput: action.toolInput, effect }, toolInput),
      }),
      ...(isApproved && { approved: true }),
    };
  });
}

/** Ends of the turn's calls that are over, as entries of the transcript. */
async function endsOf(
  run: RunToRestart,
  { tools }: AgentManifest,
  iteration: number,
  actions: readonly PlannedAction[],
): Promise<KeptEnd[]> {
  const fits = resultBudget();
  const ends = actions.map(async (action, index): Promise<KeptEnd[]> => {
    const call = `${iteration}.${index + 1}`;
    const known = run.record.calls.get(call);
    if (known?.end === undefined) return [];
    const { observation } = known.end;
    const entry: StepEntry = {
      type: 'step',
      call,
      action: known.action,
      observation,
      toolCallId: action.toolCallId,
      ...(hasPersonsInput(known) && { personsInput: true }),
    };
    const tool = tools.find(({ name }) => name === action.tool);
    const recorded = presetEnd(action, tools) === undefined ? run.record.results.get(call) : undefined;
    if (recorded === undefined) return [{ entry, fromTool: false }];
    // A `returnDirect` result may be the run's own result, so the entry holds it.
    const isInPlace = tool?.returnDirect === true || fits(entry);
    const ref = isInPlace ? undefined : await refOf(run.id, recorded, observation);
    return [{ entry: ref === undefined ? entry : { ...entry, observation: null, ref }, fromTool: true }];
  });
  return (await Promise.all(ends)).flat();
}

/** Reference to the recorded result of a long observation; undefined: the input has to hold the observation itself. */
async function refOf(
  id: string,
  { run, activityId, result }: ActivityResult,
  observation: Json,
): Promise<ResultRef | undefined> {
  const text = canonicalJson(observation);
  if (utf8Length(text) <= limits.inlineBytes) return undefined;
  const workflowId = run.workflowId === id ? undefined : run.workflowId;
  const ref = { runId: run.runId, workflowId, activityId };
  const value = await result();
  const toolResult = readToolResult(value);
  if (toolResult !== undefined && canonicalJson(toolResult.output) === text)
    return { ...ref, attemptScheduledAt: toolResult.attemptScheduledAt };
  return canonicalJson(value) === text ? { ...ref, raw: true } : undefined;
}

function markAfter({ before, carried }: RecordedModelCall, digest: string | undefined): Mark {
  const after = { length: before.length + carried.length, digest: digest ?? '' };
  return digest === undefined ? advance(before, carried) : after; // the turn has no digest
}

interface GivenInput {
  call: string;
  input: Json;
}

/** Finds the call that gets the given input. `call` may be left out if only one call is made again. */
function givenInput(
  { id }: RunToRestart,
  { call, input }: RetryRunOptions,
  calls: readonly string[],
): GivenInput | undefined {
  if (call !== undefined && !calls.includes(call)) {
    throw new InvalidInput(`retry: call ${call} of run ${id} is not made again. ${callsText(calls)}`);
  }
  if (input === undefined) return undefined;
  const [only, second] = calls;
  const target = call ?? (second === undefined ? only : undefined);
  if (target !== undefined) return { call: target, input: plainJson(input) };
  throw new InvalidInput(`retry: say which call the input is for. ${callsText(calls)}`);
}

function callsText(calls: readonly string[]): string {
  return calls.length === 0
    ? 'The model is asked again, and takes no input.'
    : `Calls that are made again: ${calls.join(', ')}.`;
}

function checkedInput(
  tools: readonly ToolManifest[],
  { tool }: PlannedAction,
  { call, input }: GivenInput,
): Json {
  const schema = tools.find(({ name }) => name === tool)?.inputSchema;
  const problem = schema === undefined ? undefined : schemaProblem(schema, input);
  if (problem === undefined) return input;
  throw new InvalidInput(`retry: this input does not fit ${call}: ${problem}.`);
}
