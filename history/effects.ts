import type { Client } from '@temporalio/client';
import type { AgentManifest, ToolManifest } from '../agent/manifest.ts';
import {
  type DoneCall,
  EARLIER_EFFECTS,
  inputDigest,
  isDropped,
  isOnce,
  lastOfEach,
} from '../agent/restart.ts';
import { aftermath } from '../agent/rules/doubt.ts';
import { callWithin } from '../agent/rules/call-rules.ts';
import { boundedText } from '../agent/values.ts';
import { type Json, asText } from '../agent/vocabulary.ts';
import type { Fact } from './fact.ts';
import { readRunFacts } from './lineage.ts';
import { type RunRef, isNoWorkflow } from './pages.ts';
import { scheduledCall } from './traced-calls.ts';
import { asDoneCalls, asResolvedAgent, asRunInput, asToolResult } from './records.ts';

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
    children: new Map(),
    told: [],
    resolving: '',
    asking: '',
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
  begun: Map<string, { call: string; tool: ToolManifest }>;
  /** By run and call. */
  made: Map<string, DoneCall>;
  /** Sub-agents' workflow ids by their calls. */
  children: Map<string, string>;
  /** Effects of still earlier runs. */
  told: DoneCall[];
  /** The activities whose results name the tools, and effects of earlier runs. */
  resolving: string;
  asking: string;
}

async function read(
  reading: Reading,
  { workflowId, runId }: RunRef,
  fact: Fact,
  isMeant: (call: string) => boolean,
): Promise<void> {
  if (fact.type === 'started') return takeTools(reading, asRunInput(await fact.input())?.manifest);
  if (!('of' in fact)) return;
  const key = `${runId} ${fact.key}`;
  if (fact.type === 'scheduled') {
    const scheduled = scheduledCall(workflowId, fact);
    if (fact.name === 'resolveAgent') reading.resolving = key;
    if (fact.name === EARLIER_EFFECTS) reading.asking = key;
    if (scheduled?.scope !== 0 || !isMeant(scheduled.call)) return;
    const { call, n } = scheduled;
    if (fact.of === 'child') return void reading.children.set(n === 0 ? call : `${call}~${n}`, fact.workId);
    const tool = reading.tools.get(fact.name);
    if (tool === undefined) return;
    const input = ((await fact.input()) ?? null) as Json; // a tool activity's one argument
    reading.begun.set(key, { call, tool });
    reading.made.set(`${runId} ${call}`, { call, tool: tool.name, input: inputDigest(input) });
    return;
  }
  if (fact.type === 'succeeded' && key === reading.resolving)
    return takeTools(reading, asResolvedAgent(await fact.result())?.manifest);
  if (fact.type === 'succeeded' && key === reading.asking)
    return void reading.told.push(...asDoneCalls(await fact.result()));
  const begun = reading.begun.get(key);
  const done = begun && reading.made.get(`${runId} ${begun.call}`);
  if (begun === undefined || done === undefined || fact.type === 'begun') return;
  const ended = await withEnd(done, begun.tool, fact);
  if (ended === undefined) reading.made.delete(`${runId} ${begun.call}`);
  else reading.made.set(`${runId} ${begun.call}`, ended);
}

function takeTools({ tools }: Reading, manifest: AgentManifest | undefined): void {
  for (const tool of manifest?.tools.filter(isOnce) ?? []) tools.set(tool.name, tool);
}

/** undefined: it certainly took no effect. */
async function withEnd(
  done: DoneCall,
  tool: ToolManifest,
  fact: Extract<Fact, { type: 'succeeded' | 'failed' | 'cancelled' }>,
): Promise<DoneCall | undefined> {
  if (fact.type === 'succeeded') {
    const result = await fact.result();
    const ours = tool.external === true ? undefined : asToolResult(result);
    if (ours?.kind === 'deferred' || ours?.reconciled === 'unknown') return done;
    if (ours?.kind !== undefined || ours?.reconciled === 'notDone') return undefined;
    const output = ours === undefined ? ((result ?? null) as Json) : ours.output; // an external tool's, as JSON
    return { ...done, output: boundedText(asText(output), OUTPUT_CHARS) };
  }
  // Asked for only: it may be at work still.
  if (fact.type === 'cancelled' && fact.requested) return done;
  const failure = await fact.failure?.();
  if (failure === undefined) return tool.external === true ? done : undefined; // our runner says that it is over
  return aftermath(tool, failure, 0).type === 'doubt' ? done : undefined;
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
