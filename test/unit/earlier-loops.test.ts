import { describe, expect, test } from 'vitest';
import type { ModelTurn } from '../../agent/calls.ts';
import type { AgentManifest } from '../../agent/manifest.ts';
import { cancelledTool } from '../../agent/observations.ts';
import { type Json, noUsage } from '../../agent/vocabulary.ts';
import { addToReport, emptyReport } from '../../client/report.ts';
import type { Fact } from '../../history/fact.ts';
import { createTrace } from '../../history/trace.ts';
import { sampleManifest } from '../support/manifest.ts';

/** A fact before its place in a history. */
type Said = Fact extends infer F ? (F extends Fact ? Omit<F, 'id' | 'at'> : never) : never;

const value = (given: unknown) => () => Promise.resolve(given);

describe('a call that failed as a person cancelled it', () => {
  const cancel = update('cancelCall', { call: '1.1' });

  test('waits in a run of an earlier version, which took the cancellation and let the call wait all the same', async () => {
    expect(await reportOf(2, failed, cancel)).toMatchObject({
      status: 'waiting',
      waiting: [{ call: '1.1', error: { message: 'boom' } }],
      intermediateSteps: [],
    });
  });

  test('can still be decided on in such a run', async () => {
    const resolved = update('resolve', { call: '1.1', output: 'by hand' });
    expect(await reportOf(2, failed, cancel, resolved)).toMatchObject({
      status: 'running',
      waiting: [],
      intermediateSteps: [{ call: '1.1', observation: 'by hand' }],
    });
  });

  test('is cancelled in a run of this version, as the next model call says', async () => {
    const observation = cancelledTool(undefined);
    const entry = {
      type: 'step',
      call: '1.1',
      action: { tool: 'Search', toolInput: 'x', log: '' },
      observation,
    };
    const next = scheduled('callModel', '2', { base: 2, prev: '', delta: [entry] });
    expect(await reportOf(3, failed, cancel, next)).toMatchObject({
      status: 'running',
      waiting: [],
      intermediateSteps: [{ call: '1.1', observation }],
    });
  });
});

const turn: ModelTurn = {
  text: 'Action: Search',
  decision: { type: 'act', actions: [{ tool: 'Search', toolInput: 'x' }] },
  finishReason: 'stop',
  usage: noUsage,
  request: '',
};
const failed: Said = {
  type: 'failed',
  of: 'activity',
  key: '1.1',
  error: () => Promise.resolve({ type: 'Error', message: 'boom' }),
};

function beginning(manifest: AgentManifest): Said[] {
  const run = { agent: manifest.name, question: { input: 'what?', chatHistory: [] } };
  return [
    {
      type: 'started',
      workflowId: 'w',
      runId: 'r',
      firstRunId: 'r',
      originalRunId: 'r',
      previousRunId: undefined,
      behind: () => Promise.resolve(undefined),
      input: value(run),
    },
    scheduled('resolveAgent', 'resolve', { agent: manifest.name }),
    succeeded('resolve', { manifest, searchAttributes: false }),
    scheduled('callModel', '1', { base: 0, prev: '', delta: [] }),
    succeeded('1', turn),
    scheduled('Search', '1.1', 'x'),
  ];
}

function scheduled(name: string, workId: string, input: unknown): Said {
  return { type: 'scheduled', of: 'activity', key: workId, workId, name, input: value(input) };
}

function succeeded(key: string, result: unknown): Said {
  return { type: 'succeeded', of: 'activity', key, result: value(result) };
}

function update(name: string, sent: { call: string; [field: string]: Json }): Said {
  return {
    type: 'update_completed',
    key: name,
    updateId: name,
    name,
    input: value(sent),
    result: value({ call: sent.call, n: 0, decision: name }),
  };
}

async function reportOf(loopVersion: AgentManifest['loopVersion'], ...rest: Said[]) {
  const report = emptyReport('w', '');
  const trace = createTrace('w');
  const facts = [...beginning(sampleManifest({ loopVersion })), ...rest];
  for (const [index, said] of facts.entries()) {
    const fact = { ...said, id: index + 1, at: index * 1_000 };
    for (const event of await trace.next(fact)) addToReport(report, event);
  }
  return report;
}
