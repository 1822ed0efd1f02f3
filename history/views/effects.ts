import { type ModelTurn, type PlannedAction, withoutSchedule } from '../../agent/calls/calls.ts';
import type { Client } from '@temporalio/client';
import type { AgentManifest, ToolManifest } from '../../agent/definition/manifest.ts';
import { type DoneCall, EARLIER_EFFECTS, isDropped, isOnce, lastOfEach } from '../../agent/calls/restart.ts';
import { REWIND_POINT } from '../../agent/run/rewind-point.ts';
import { effectDigest } from '../../agent/rules/repeated.ts';
import { aftermath } from '../../agent/rules/doubt.ts';
import { callWithin } from '../../agent/rules/call-rules.ts';
import { boundedText } from '../../agent/values/values.ts';
import { type Json, asText } from '../../agent/values/vocabulary.ts';
import type { Fact } from '../read/fact.ts';
import { readRunFacts } from '../read/lineage.ts';
import { type RunRef, isNoWorkflow } from '../read/pages.ts';
import { scheduledCall } from '../read/scheduled-call.ts';
import {
  asDoneCalls,
  asModelTurn,
  asResolvedAgent,
  asRewindPoint,
  asRunInput,
  asToolResult,
} from '../read/records.ts';

/** Characters of what an earlier call returned: for the person who is asked. */
const OUTPUT_CHARS = 300;

/** Resolves when a sub-agent's workflow will begin no further call, where that matters. */
type Settled = (client: Client, workflowId: string) => Promise<void>;

/**
 * The calls with an effect that happens once which `run` made in steps that are dropped, those of its sub-agents as well.
 * What has no recorded end may have happened; what a tool said it had not done has not. What those runs were told of earlier effects is of it.
 */
export async function readEffects(
  client: Client,
  run: RunRef,
  since: Parameters<typeof isDropped>[1],
  settled: Settled,
): Promise<DoneCall[]> {
  const reading: Reading = {
    tools: new Map(),
    begun: new Map(),
    made: new Map(),
    latest: new Map(),
    planned: new Map(),
    children: new Map(),
    told: [],
    resolving: '',
    asking: '',
    rewinding: '',
    asked: new Map(),
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
  return lastOfEach([...reading.told, ...reading.made.values(), ...(await Promise.all(within)).flat()]);
}

interface Reading {
  /** Tools of the run's agent whose effect happens once. */
  tools: Map<string, ToolManifest>;
  /** What is under way, by run and the fact that began it. */
  begun: Map<string, { tool: ToolManifest; before: string | undefined }>;
  /** By run and schedule, in the order in which they were made. */
  made: Map<string, DoneCall>;
  /** The latest schedule of each call, by run and call. */
  latest: Map<string, string>;
  /** The model's decisions, by run and call. */
  planned: Map<string, PlannedAction>;
  /** Sub-agents' workflow ids by their calls. */
  children: Map<string, string>;
  /** Effects of still earlier runs. */
  told: DoneCall[];
  /** The activities whose results name the tools, and effects of earlier runs. */
  resolving: string;
  asking: string;
  rewinding: string;
  /** Model calls under way. */
  asked: Map<string, string>;
}

async function read(
  reading: Reading,
  { workflowId, runId }: RunRef,
  fact: Fact,
  isMeant: (call: string) => boolean,
): Promise<void> {
  if (fact.type === 'started') {
    const { manifest, restart } = asRunInput(await fact.input()) ?? {};
    planned(reading, runId, String(restart?.step), restart?.turn?.turn);
    return takeTools(reading, manifest);
  }
  if (!('of' in fact)) return;
  const key = `${runId} ${fact.key}`;
  if (fact.type === 'scheduled') {
    const scheduled = scheduledCall(workflowId, fact);
    if (fact.name === 'resolveAgent') reading.resolving = key;
    if (fact.name === EARLIER_EFFECTS) reading.asking = key;
    if (fact.name === REWIND_POINT) reading.rewinding = key;
    if (fact.name === 'callModel') reading.asked.set(key, fact.workId);
    if (scheduled?.scope !== 0 || !isMeant(scheduled.call)) return;
    const { call, n } = scheduled;
    if (fact.of === 'child') return void reading.children.set(n === 0 ? call : `${call}~${n}`, fact.workId);
    const tool = reading.tools.get(fact.name);
    if (tool === undefined) return;
    const input = ((await fact.input()) ?? null) as Json; // a tool activity's one argument
    const schedules = `${runId} ${call}`;
    reading.begun.set(key, { tool, before: reading.latest.get(schedules) });
    reading.latest.set(schedules, key);
    const action = reading.planned.get(schedules) ?? { toolInput: input };
    reading.made.set(key, { call, tool: tool.name, input: effectDigest(action, input) });
    return;
  }
  if (fact.type === 'succeeded') {
    const asked = reading.asked.get(key);
    if (asked !== undefined) planned(reading, runId, asked, asModelTurn(await fact.result()));
    if (key === reading.resolving) takeTools(reading, asResolvedAgent(await fact.result())?.manifest);
    if (key === reading.asking) reading.told.push(...asDoneCalls(await fact.result()));
    if (key === reading.rewinding) reading.told.push(...(asRewindPoint(await fact.result())?.done ?? []));
  }
  const begun = reading.begun.get(key);
  const done = reading.made.get(key);
  if (begun === undefined || done === undefined || fact.type === 'begun') return;
  const { end, isOfBefore } = await withEnd(done, begun.tool, fact);
  if (end === undefined) reading.made.delete(key);
  else reading.made.set(key, end);
  // The tool has said of the schedule before that it did nothing.
  if (isOfBefore && end === undefined && begun.before !== undefined) reading.made.delete(begun.before);
}

function planned({ planned: all }: Reading, runId: string, id: string, turn: ModelTurn | undefined): void {
  if (turn?.decision.type !== 'act') return;
  turn.decision.actions.forEach((action, index) =>
    all.set(`${runId} ${withoutSchedule(id)}.${index + 1}`, action),
  );
}

function takeTools({ tools }: Reading, manifest: AgentManifest | undefined): void {
  for (const tool of manifest?.tools.filter(isOnce) ?? []) tools.set(tool.name, tool);
}

/** `end`: undefined where it certainly took no effect. `isOfBefore`: it is the tool's word on the schedule before. */
async function withEnd(
  done: DoneCall,
  tool: ToolManifest,
  fact: Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>,
): Promise<{ end: DoneCall | undefined; isOfBefore?: boolean }> {
  if (fact.type === 'succeeded') {
    const result = await fact.result();
    const ours = tool.external === true ? undefined : asToolResult(result);
    if (ours?.kind === 'deferred' || ours?.reconciled === 'unknown') return { end: done };
    if (ours?.reconciled === 'notDone') return { end: undefined, isOfBefore: true };
    if (ours?.kind !== undefined) return { end: undefined };
    const output = ours === undefined ? ((result ?? null) as Json) : ours.output; // an external tool's, as JSON
    return { end: { ...done, output: boundedText(asText(output), OUTPUT_CHARS) } };
  }
  // Asked for only: it may be at work still.
  if (fact.type === 'cancelled' && fact.requested) return { end: done };
  const failure = await fact.failure?.();
  if (failure === undefined) return { end: tool.external === true ? done : undefined }; // our runner says that it is over
  return { end: aftermath(tool, failure, 0).type === 'doubt' ? done : undefined };
}

/** The same of a sub-agent, all of it, as it stands under its workflow id. */
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
    // It never started, or is past retention.
    if (isNoWorkflow(error)) return [];
    throw error;
  }
}
