import type { Client } from '@temporalio/client';
import { parseActivityId } from '../agent/calls.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { type DoneCall, inputDigest, isDropped, isOnce } from '../agent/restart.ts';
import { callWithin } from '../agent/rules/call-rules.ts';
import { boundedText } from '../agent/values.ts';
import { type Json, asText } from '../agent/vocabulary.ts';
import { AGENT_RUN } from '../workflows/messages.ts';
import type { Fact } from './facts.ts';
import { readRunFacts } from './lineage.ts';
import { type RunRef, isNotFound } from './pages.ts';
import { asResolvedAgent, asRunInput, asToolResult } from './records.ts';

/** Characters of what an earlier call returned: for the person who is asked. */
const OUTPUT_CHARS = 300;

/**
 * The calls with an effect that happens once which `run` made in steps that are dropped, those of its sub-agents as well.
 * What has no recorded end may have happened; what a tool said it had not done has not.
 */
export async function readEffects(
  client: Client,
  run: RunRef,
  since: Parameters<typeof isDropped>[1],
): Promise<DoneCall[]> {
  const reading: Reading = { tools: new Set(), made: new Map(), children: new Map(), resolving: '' };
  for await (const { run: recorder, fact } of readRunFacts(client, run)) {
    await read(reading, recorder, fact, (call) => isDropped(call, since));
  }
  const within = [...reading.children].map(async ([call, workflowId]) =>
    (await effectsOfLatest(client, workflowId)).map((done) => ({
      ...done,
      call: callWithin(call, done.call),
    })),
  );
  return [...reading.made.values(), ...(await Promise.all(within)).flat()];
}

interface Reading {
  /** Tools of the run's agent whose effect happens once. */
  tools: Set<string>;
  /** By run and the fact that began each. */
  made: Map<string, DoneCall>;
  /** Sub-agents' workflow ids by their calls. */
  children: Map<string, string>;
  /** The activity whose result names the tools. */
  resolving: string;
}

async function read(
  reading: Reading,
  { workflowId, runId }: RunRef,
  fact: Fact,
  isMeant: (call: string) => boolean,
): Promise<void> {
  const { tools, made, children } = reading;
  const take = (manifest: AgentManifest | undefined) => {
    for (const { name } of manifest?.tools.filter(isOnce) ?? []) tools.add(name);
  };
  switch (fact.type) {
    case 'started':
      return take(asRunInput(await fact.input())?.manifest);
    case 'scheduled': {
      const isChild = fact.of === 'child';
      if (isChild && (fact.name !== AGENT_RUN || !fact.workId.startsWith(`${workflowId}/`))) return;
      const id = parseActivityId(isChild ? fact.workId.slice(workflowId.length + 1) : fact.workId);
      if (fact.name === 'resolveAgent') reading.resolving = `${runId} ${fact.key}`;
      if (id?.scope !== 0 || !isMeant(id.call)) return;
      if (isChild) children.set(id.n === 0 ? id.call : `${id.call}~${id.n}`, fact.workId);
      if (isChild || !tools.has(fact.name)) return;
      const input = ((await fact.input()) ?? null) as Json; // a tool activity's one argument
      made.set(`${runId} ${fact.key}`, { call: id.call, tool: fact.name, input: inputDigest(input) });
      return;
    }
    case 'succeeded': {
      const key = `${runId} ${fact.key}`;
      if (key === reading.resolving) return take(asResolvedAgent(await fact.result())?.manifest);
      const done = made.get(key);
      if (done === undefined) return;
      made.delete(key);
      const result = await fact.result();
      const { output, kind } = asToolResult(result) ?? { output: (result ?? null) as Json, kind: undefined }; // an external tool's
      if (kind === undefined) made.set(key, { ...done, output: boundedText(asText(output), OUTPUT_CHARS) });
      return;
    }
    default:
      return;
  }
}

async function effectsOfLatest(client: Client, workflowId: string): Promise<DoneCall[]> {
  try {
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    return await readEffects(client, { workflowId, runId }, { step: 0, again: undefined });
  } catch (error) {
    // It never started, or is past retention.
    if (isNotFound(error) || (error instanceof Error && error.name === 'WorkflowNotFoundError')) return [];
    throw error;
  }
}
