import { CALL_INTENT } from '../../agent/calls/call-signals.ts';
import { type Intent, type ModelTurn, type PlannedAction, withoutSchedule } from '../../agent/calls/calls.ts';
import type { Client } from '@temporalio/client';
import type { AgentManifest, ToolManifest } from '../../agent/definition/manifest.ts';
import { readModelTurn } from '../../agent/calls/model-turn.ts';
import { type DoneCall, EARLIER_EFFECTS, isDropped, isOnce, lastOfEach } from '../../agent/calls/restart.ts';
import { readToolResult } from '../../agent/calls/tool-result.ts';
import { asRunInput, REWIND_POINT } from '../../agent/run/run-input.ts';
import { effectOf } from '../../agent/rules/repeated.ts';
import { aftermath, withIntent } from '../../agent/rules/doubt.ts';
import { runSignals } from '../../agent/run/run-signals.ts';
import { callWithin } from '../../agent/rules/call-rules.ts';
import { boundedText } from '../../agent/values/values.ts';
import { type Json, asText } from '../../agent/values/vocabulary.ts';
import { type WorkEnded, cancelledBy } from '../trace/scheduled-work.ts';
import type { Fact } from '../read/fact.ts';
import { readRunFacts } from '../read/lineage.ts';
import { type RunRef, isNoWorkflow } from '../read/pages.ts';
import { scheduledCall } from '../read/scheduled-call.ts';
import { asDoneCalls, asResolvedAgent, asRewindPoint } from '../read/records.ts';

/** Characters of an earlier call's result, shown to the person who decides. */
const OUTPUT_CHARS = 300;

/** Resolves when a sub-agent's workflow starts no further calls. */
type Settled = (client: Client, workflowId: string) => Promise<void>;

/**
 * Reads the calls of `effects: 'once'` tools in dropped steps of `run`, with those of sub-agents, and the effects that earlier restarts
 * of the run found. A call without a recorded end counts: it may have had its effect. A call whose tool reports no effect does not.
 */
export async function readEffects(
  client: Client,
  run: RunRef,
  since: Parameters<typeof isDropped>[1],
  settled: Settled,
): Promise<DoneCall[]> {
  const reading: Reading = {
    tools: new Map(),
    open: new Map(),
    intents: new Map(),
    effects: new Map(),
    latest: new Map(),
    planned: new Map(),
    children: new Map(),
    earlier: [],
    resolveKey: '',
    effectsKey: '',
    rewindKey: '',
    modelCalls: new Map(),
  };
  for await (const { run: recorder, fact } of readRunFacts(client, run)) {
    await read(reading, recorder, fact, (call) => isDropped(call, since));
  }
  const within = [...reading.children].map(async ([call, workflowId]) =>
    (await readLatestEffects(client, workflowId, settled)).map((done) => ({
      ...done,
      call: callWithin(call, done.call),
    })),
  );
  return lastOfEach([...reading.earlier, ...reading.effects.values(), ...(await Promise.all(within)).flat()]);
}

interface Reading {
  /** Tools of the run's agent with `effects: 'once'`. */
  tools: Map<string, ToolManifest>;
  /** Calls under way, by run and key. `before`: the call's schedule before this one. */
  open: Map<string, { tool: ToolManifest; workId: string; before: string | undefined }>;
  /** Intents that attempts have sent, by run and activity id. */
  intents: Map<string, Intent>;
  /** Schedules that may have had an effect, by run and key, oldest first. */
  effects: Map<string, DoneCall>;
  /** Latest schedule of each call, by run and call. */
  latest: Map<string, string>;
  /** The model's decisions, by run and call. */
  planned: Map<string, PlannedAction>;
  /** Workflow ids of sub-agents, by call. */
  children: Map<string, string>;
  /** Effects that earlier restarts found. */
  earlier: DoneCall[];
  /** Keys of the latest activities that resolve the agent, read earlier effects, and read a rewind point. */
  resolveKey: string;
  effectsKey: string;
  rewindKey: string;
  /** Activity ids of model calls, by run and key. */
  modelCalls: Map<string, string>;
}

async function read(
  reading: Reading,
  { workflowId, runId }: RunRef,
  fact: Fact,
  isDroppedCall: (call: string) => boolean,
): Promise<void> {
  if (fact.type === 'started') {
    const { manifest, restart } = asRunInput(await fact.input()) ?? {};
    addPlanned(reading, runId, String(restart?.step), restart?.turn?.turn);
    return addTools(reading, manifest);
  }
  if (fact.type === 'signaled' && fact.name === CALL_INTENT) {
    const sent = runSignals[CALL_INTENT](await fact.input());
    if (sent !== undefined) reading.intents.set(`${runId} ${sent.activityId}`, sent.intent);
  }
  if (!('of' in fact)) return;
  const key = `${runId} ${fact.key}`;
  if (fact.type === 'scheduled') {
    const scheduled = scheduledCall(workflowId, fact);
    if (fact.name === 'resolveAgent') reading.resolveKey = key;
    if (fact.name === EARLIER_EFFECTS) reading.effectsKey = key;
    if (fact.name === REWIND_POINT) reading.rewindKey = key;
    if (fact.name === 'callModel') reading.modelCalls.set(key, fact.workId);
    if (scheduled?.scope !== 0 || !isDroppedCall(scheduled.call)) return;
    const { call, n } = scheduled;
    if (fact.of === 'child') return void reading.children.set(n === 0 ? call : `${call}~${n}`, fact.workId);
    const tool = reading.tools.get(fact.name);
    if (tool === undefined) return;
    const input = ((await fact.input()) ?? null) as Json; // a tool activity has one argument
    const schedules = `${runId} ${call}`;
    reading.open.set(key, { tool, workId: fact.workId, before: reading.latest.get(schedules) });
    reading.latest.set(schedules, key);
    const action = reading.planned.get(schedules) ?? { toolInput: input };
    reading.effects.set(key, { call, tool: tool.name, ...effectOf(action, input) });
    return;
  }
  if (fact.type === 'succeeded') {
    const modelCall = reading.modelCalls.get(key);
    if (modelCall !== undefined) addPlanned(reading, runId, modelCall, readModelTurn(await fact.result()));
    if (key === reading.resolveKey) addTools(reading, asResolvedAgent(await fact.result())?.manifest);
    if (key === reading.effectsKey) reading.earlier.push(...asDoneCalls(await fact.result()));
    if (key === reading.rewindKey) reading.earlier.push(...(asRewindPoint(await fact.result())?.done ?? []));
  }
  const started = reading.open.get(key);
  const done = reading.effects.get(key);
  if (started === undefined || done === undefined || fact.type === 'begun') return;
  const intent = reading.intents.get(`${runId} ${started.workId}`);
  const { end, isOfEarlierSchedule } = await withEnd(done, started.tool, fact, intent);
  if (end === undefined) reading.effects.delete(key);
  else reading.effects.set(key, end);
  // `reconcile` said that the earlier schedule had no effect.
  if (isOfEarlierSchedule && end === undefined && started.before !== undefined)
    reading.effects.delete(started.before);
}

function addPlanned({ planned }: Reading, runId: string, id: string, turn: ModelTurn | undefined): void {
  if (turn?.decision.type !== 'act') return;
  turn.decision.actions.forEach((action, index) =>
    planned.set(`${runId} ${withoutSchedule(id)}.${index + 1}`, action),
  );
}

function addTools({ tools }: Reading, manifest: AgentManifest | undefined): void {
  for (const tool of manifest?.tools.filter(isOnce) ?? []) tools.set(tool.name, tool);
}

/** `end` undefined: the call certainly had no effect. `isOfEarlierSchedule`: `reconcile` reported about the schedule before. */
async function withEnd(
  done: DoneCall,
  tool: ToolManifest,
  fact: WorkEnded,
  intent: Intent | undefined,
): Promise<{ end: DoneCall | undefined; isOfEarlierSchedule?: boolean }> {
  if (fact.type === 'succeeded') {
    const result = await fact.result();
    const toolResult = tool.external === true ? undefined : readToolResult(result);
    if (
      toolResult?.kind === 'deferred' ||
      toolResult?.kind === 'asks' ||
      toolResult?.reconciled === 'unknown'
    )
      return { end: done };
    if (toolResult?.reconciled === 'notDone') return { end: undefined, isOfEarlierSchedule: true };
    if (toolResult?.kind !== undefined) return { end: undefined };
    const output = toolResult === undefined ? ((result ?? null) as Json) : toolResult.output; // an external tool returns JSON
    return { end: { ...done, output: boundedText(asText(output), OUTPUT_CHARS) } };
  }
  // The cancellation is only requested: the call may still be running.
  if (fact.type === 'cancelled' && fact.requested) return { end: done };
  // Our runner records a failure if a cancelled call may have had its effect.
  const failure = (await fact.failure?.()) ?? (await cancelledBy(fact));
  return { end: aftermath(tool, withIntent(failure, intent), 0).type === 'doubt' ? done : undefined };
}

/** Reads all effects of a sub-agent's latest run under its workflow id. Empty if the sub-agent never started. */
export async function readLatestEffects(
  client: Client,
  workflowId: string,
  settled: Settled,
): Promise<DoneCall[]> {
  try {
    await settled(client, workflowId);
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    return await readEffects(client, { workflowId, runId }, { step: 0, again: undefined }, settled);
  } catch (error) {
    // The sub-agent never started, or is past retention.
    if (isNoWorkflow(error)) return [];
    throw error;
  }
}
