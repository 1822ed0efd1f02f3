import type { Client } from '@temporalio/client';
import { isOpen } from '../../history/list/listed.ts';
import { schemaProblem } from '../../agent/rules/fits-schema.ts';
import { effectDigest } from '../../agent/rules/repeated.ts';
import { presetEnd } from '../../agent/rules/call-rules.ts';
import { limits } from '../../agent/values/limits.ts';
import { type PlannedAction, withoutCalls } from '../../agent/calls/calls.ts';
import type { AgentManifest, ToolManifest } from '../../agent/definition/manifest.ts';
import { type KeptEnd, type KeptTurn, callsWithoutEnd } from '../../agent/calls/restart.ts';
import { canonicalJson } from '../../agent/values/json-object.ts';
import { type Mark, type ResultRef, type StepEntry, advance } from '../../agent/transcript/entries.ts';
import { utf8Length } from '../../agent/values/digest.ts';
import { plainJson } from '../../agent/values/values.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import { asToolResult } from '../../history/read/records.ts';
import type { RecordedCall } from '../../history/views/restart-point.ts';
import { DecisionRefused, InvalidInput } from '../connect/errors.ts';
import { type RestartReceipt, type RunToRestart, beginAgain, runToRestart } from './begin-again.ts';
import { type Asked, beginningAt, roomForResults } from '../../history/views/restart-point.ts';
import { type RestartInput, restartFromQuestion, restartInput } from './restart-input.ts';
import { typedCommand } from '../connect/cli-name.ts';

export interface RetryRunOptions {
  /** The call that gets another input. */
  call?: string | undefined;
  input?: unknown;
}

export interface RetryReceipt extends RestartReceipt {
  /** The calls that are made again; none where the model is asked again. */
  calls: string[];
}

/**
 * Goes back to where a run failed, or was cancelled or terminated: a new run of the same id takes its place. What the model has
 * said is kept, and so are the calls of its last turn that ended; the others are made again. Needs no worker. Throws
 * DecisionRefused for a run that goes on or has its answer, InvalidInput for an input that does not fit.
 */
export async function retryRun(
  client: Client,
  id: string,
  options: RetryRunOptions = {},
): Promise<RetryReceipt> {
  const run = await runToRestart(client, id, 'retry');
  checkEnded(run);
  const { input, calls } = await inputAgain(client, run, options);
  return { ...(await beginAgain(client, run, input)), calls };
}

function checkEnded({ id, status }: RunToRestart): void {
  if (isOpen(status))
    throw new DecisionRefused(`retry: run ${id} goes on; a call of it that waits can be retried.`);
  if (status !== 'COMPLETED') return;
  throw new DecisionRefused(
    `retry: run ${id} has its answer: nothing of it failed. To have it do a step anew: ${typedCommand('rewind', [id], ['--step', 'STEP'])}`,
  );
}

async function inputAgain(
  client: Client,
  run: RunToRestart,
  options: RetryRunOptions,
): Promise<{ input: RestartInput; calls: string[] }> {
  const { standing } = run;
  const asked = standing.asked.at(-1);
  const { manifest } = standing;
  if (manifest === undefined || asked === undefined) {
    givenInput(run, options, []);
    return { input: restartFromQuestion(run, 'retry'), calls: [] };
  }
  const { turn, step } = asked;
  if (turn?.decision.type !== 'act') {
    givenInput(run, options, []);
    const again = beginningAt({ ...asked, granted: standing.granted });
    const said = [...saidWhile(asked), ...standing.said];
    const input = await restartInput(client, run, { by: 'retry', step, said }, again);
    return { input, calls: [] };
  }
  const { spent, elapsedMs, granted } = standing;
  const { actions } = turn.decision;
  const ends = await endsOf(run, manifest, step, actions);
  const calls = callsWithoutEnd(step, { turn, ends });
  const given = madeAnew(run, manifest, step, actions, givenInput(run, options, calls));
  const kept: KeptTurn = { turn: { ...withoutCalls(turn), decision: { type: 'act', actions: given } }, ends };
  const beginning = {
    run: asked.run,
    mark: markAfter(asked, turn.digest),
    pending: [],
    counters: { spent, elapsedMs, granted, repeat: turn.repeat ?? asked.repeat },
    from: { workflowId: run.id, runId: run.runId },
  };
  return {
    input: await restartInput(client, run, { by: 'retry', step, turn: kept, said: standing.said }, beginning),
    calls,
  };
}

/** What a model call carried beyond what it was first scheduled with. */
function saidWhile({ delta, told }: Asked): string[] {
  return told.slice(delta.length).flatMap((entry) => (entry.type === 'message' ? [entry.text] : []));
}

/** Each call keeps the input that it had last. An approval holds for the input that was approved; for another one a person is asked. */
function madeAnew(
  { standing }: RunToRestart,
  { tools }: AgentManifest,
  step: number,
  actions: readonly PlannedAction[],
  given: GivenInput | undefined,
): PlannedAction[] {
  const { given: givenBefore, approved: approvedBefore } = standing.inputs;
  return actions.map(({ approved, effect, ...action }, index) => {
    const call = `${step}.${index + 1}`;
    const last = givenBefore.get(call) ?? action.toolInput;
    const toolInput = given?.call === call ? checkedInput(tools, action, given) : last;
    const allowed = approvedBefore.get(call) ?? (approved && action.toolInput);
    const isApproved = allowed !== undefined && canonicalJson(allowed) === canonicalJson(toolInput);
    return {
      ...action,
      toolInput,
      ...(effect !== undefined && {
        effect: effectDigest({ toolInput: action.toolInput, effect }, toolInput),
      }),
      ...(isApproved && { approved: true }),
    };
  });
}

/** The calls of the turn that are over, as the model is told of them. */
async function endsOf(
  run: RunToRestart,
  { tools }: AgentManifest,
  iteration: number,
  actions: readonly PlannedAction[],
): Promise<KeptEnd[]> {
  const fits = roomForResults();
  const ends = actions.map(async (action, index): Promise<KeptEnd[]> => {
    const call = `${iteration}.${index + 1}`;
    const step = run.standing.steps.get(call);
    if (step === undefined) return [];
    const { observation, action: told } = step;
    const entry: StepEntry = { type: 'step', call, action: told, observation, toolCallId: action.toolCallId };
    const tool = tools.find(({ name }) => name === action.tool);
    const recorded = presetEnd(action, tools) === undefined ? run.standing.results.get(call) : undefined;
    if (recorded === undefined) return [{ entry, fromTool: false }];
    // A result that may be the run's own stays in place.
    const isInPlace = tool?.returnDirect === true || fits(entry);
    const ref = isInPlace ? undefined : await refOf(run.id, recorded, observation);
    return [{ entry: ref === undefined ? entry : { ...entry, observation: null, ref }, fromTool: true }];
  });
  return (await Promise.all(ends)).flat();
}

/** Where a long observation is recorded as the call's result; undefined for one that has to travel itself. */
async function refOf(
  id: string,
  { run, activityId, result }: RecordedCall,
  observation: Json,
): Promise<ResultRef | undefined> {
  const text = canonicalJson(observation);
  if (utf8Length(text) <= limits.inlineBytes) return undefined;
  const workflowId = run.workflowId === id ? undefined : run.workflowId;
  const ref = { runId: run.runId, workflowId, activityId };
  const value = await result();
  const ours = asToolResult(value);
  if (ours !== undefined && canonicalJson(ours.output) === text) return { ...ref, attempt: ours.attempt };
  return canonicalJson(value) === text ? { ...ref, raw: true } : undefined;
}

function markAfter({ before, told }: Asked, digest: string | undefined): Mark {
  const after = { length: before.length + told.length, digest: digest ?? '' };
  return digest === undefined ? advance(before, told) : after; // old histories have no digest
}

interface GivenInput {
  call: string;
  input: Json;
}

/** The call that gets another input may be left out where one call is made again. */
function givenInput(
  { id }: RunToRestart,
  { call, input }: RetryRunOptions,
  calls: readonly string[],
): GivenInput | undefined {
  if (call !== undefined && !calls.includes(call)) {
    throw new InvalidInput(
      `retry: call ${call} of run ${id} is none that is made again. ${madeAgain(calls)}`,
    );
  }
  if (input === undefined) return undefined;
  const [only, second] = calls;
  const meant = call ?? (second === undefined ? only : undefined);
  if (meant !== undefined) return { call: meant, input: plainJson(input) };
  throw new InvalidInput(`retry: for which call is the input? ${madeAgain(calls)}`);
}

function madeAgain(calls: readonly string[]): string {
  return calls.length === 0
    ? 'The model is asked again, and takes no input.'
    : `These are: ${calls.join(', ')}.`;
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
