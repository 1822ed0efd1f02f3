import type { Client } from '@temporalio/client';
import { activityId } from '../../agent/calls/calls.ts';
import type { ToolManifest } from '../../agent/definition/manifest.ts';
import {
  type DoneCall,
  type EffectsQuestion,
  isDropped,
  isOnce,
  lastOfEach,
} from '../../agent/calls/restart.ts';
import { readToolResult } from '../../agent/calls/tool-result.ts';
import { effectOf } from '../../agent/rules/repeated.ts';
import { callWithin, isToolError } from '../../agent/rules/call-rules.ts';
import type { Call, CallFact } from '../../agent/run/call-state.ts';
import { boundedText } from '../../agent/values/values.ts';
import { type Json, asText } from '../../agent/values/vocabulary.ts';
import { readRunFacts } from '../read/lineage.ts';
import { type RunRef, isNoWorkflow } from '../read/pages.ts';
import { createTrace } from '../trace/trace.ts';

/** Characters of an earlier call's result, shown to the person who decides. */
const OUTPUT_CHARS = 300;

/** Resolves when a sub-agent's workflow starts no further calls. */
type Settled = (client: Client, workflowId: string) => Promise<void>;

/**
 * Reads the calls of `effects: 'once'` tools in dropped steps of `run`, and its `lost` calls, with those of sub-agents, and the effects that earlier restarts
 * of the run found. A call without a recorded end counts: it may have had its effect. A call whose tool reports no effect does not.
 */
export async function readEffects(
  client: Client,
  run: RunRef,
  since: Parameters<typeof isDropped>[1] & Pick<EffectsQuestion, 'lost'>,
  settled: Settled,
): Promise<DoneCall[]> {
  const trace = createTrace(run.workflowId);
  /** Schedules that may have had an effect, oldest first. */
  const effects = new Map<string, DoneCall>();
  /** Latest schedule of each call, by run and call. */
  const latest = new Map<string, { key: string; done: DoneCall }>();
  /** Workflow ids of sub-agents, by call. */
  const children = new Map<string, string>();
  const isRead = (call: string) => isDropped(call, since) || since.lost?.includes(call) === true;
  for await (const { run: recorder, fact } of readRunFacts(client, run)) {
    const { of } = await trace.read(fact);
    if ((of?.type !== 'scheduled' && of?.type !== 'call') || !isRead(of.call)) continue;
    const call = trace.run.calls.get(of.call);
    const id = `${recorder.runId} ${of.call}`;
    if (of.type === 'call') {
      const schedule = latest.get(id);
      if (schedule === undefined || call?.tool === undefined) continue;
      const { key, done } = schedule;
      const end = endOf(done, call, call.tool, of.fact);
      if (end === undefined) effects.delete(key);
      else if (end !== 'as before') effects.set(key, end);
    } else if (fact.type === 'scheduled' && fact.of === 'child') {
      children.set(activityId(0, of.call, of.n), fact.workId);
    } else if (fact.type === 'scheduled' && call?.underWay === 'run' && call.tool && isOnce(call.tool)) {
      // A recording may have answered the call in place of the tool.
      if (fact.name !== call.tool.name) continue;
      const key = `${id} ${of.n}`;
      const done = { call: of.call, tool: fact.name, ...effectOf(call.planned, of.toolInput) };
      latest.set(id, { key, done });
      effects.set(key, done);
    }
  }
  const within = [...children].map(async ([call, workflowId]) =>
    (await readLatestEffects(client, workflowId, settled)).map((done) => ({
      ...done,
      call: callWithin(call, done.call),
    })),
  );
  const earlier = trace.run.kept.done;
  return lastOfEach([...earlier, ...effects.values(), ...(await Promise.all(within)).flat()]);
}

/** `call`: its state after the fact. undefined: the schedule certainly had no effect. */
function endOf(
  done: DoneCall,
  { n, last }: Call,
  tool: ToolManifest,
  fact: CallFact,
): DoneCall | 'as before' | undefined {
  const failed = last?.type === 'failed' ? last : undefined;
  switch (fact.type) {
    case 'succeeded': {
      // `reconcile` has answered about the schedule before its own.
      if (failed?.found !== undefined) return failed.found === 'notDone' ? undefined : 'as before';
      const { result } = fact;
      const ours = tool.external === true ? undefined : readToolResult(result);
      if (ours === undefined) return withOutput(done, (result ?? null) as Json); // an external tool returns JSON
      if (ours.kind === 'deferred' || ours.kind === 'asks') return 'as before';
      return ours.kind === undefined ? withOutput(done, ours.output) : undefined;
    }
    case 'failed':
    case 'cancelled':
      if (last === undefined) return isToolError(tool, fact.failed.error) ? undefined : 'as before';
      return failed?.doubt === undefined ? undefined : 'as before';
    case 'intended':
      // History may have the loss of the attempt before the intent.
      return failed?.doubt !== undefined && fact.n === n ? done : 'as before';
    default:
      return 'as before';
  }
}

function withOutput(done: DoneCall, output: Json): DoneCall {
  return { ...done, output: boundedText(asText(output), OUTPUT_CHARS) };
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
