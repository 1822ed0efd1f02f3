import { describe, expect, test } from 'vitest';
import { RunAgents } from '../../../../agent/calls/run-agents.ts';
import { keepAsFork } from '../../../../history/views/kept-steps.ts';
import { type RecordedModelCall, pointBefore } from '../../../../history/views/restart-point.ts';
import type { AgentManifest } from '../../../../agent/definition/manifest.ts';
import { START } from '../../../../agent/transcript/entries.ts';
import { noUsage } from '../../../../agent/values/vocabulary.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const run = { workflowId: 'of-ann', runId: 'r1' };
const anns = sampleManifest({ name: 'desk', context: { user: 'ann' } });
const bobs = sampleManifest({ name: 'desk', context: { user: 'bob' } });

function keptBy(fork: AgentManifest) {
  const modelCall: RecordedModelCall = {
    step: 1,
    run,
    kept: run,
    before: START,
    delta: [{ type: 'message', text: 'hello' }],
    carried: [],
    manifest: anns,
    repeat: undefined,
    size: undefined,
    granted: { approved: ['pay'], allowance: { iterations: 5 } },
    spent: { iterations: 0, usage: noUsage },
    elapsedMs: 0,
    isScheduled: true,
    turn: undefined,
  };
  const agents = new RunAgents();
  agents.set(fork);
  keepAsFork([modelCall], agents);
  return pointBefore(modelCall);
}

describe('a kept step of another run', () => {
  test('has no approvals and raised limits of that run', () => {
    expect(keptBy(anns).counters.granted).toEqual({});
  });

  test('has the context of the fork, and the transcript says so', () => {
    const { manifest, pending } = keptBy(bobs);
    expect(manifest?.context).toEqual({ user: 'bob' });
    expect(pending).toEqual([
      { type: 'message', text: 'hello' },
      { type: 'agent', manifest: bobs },
    ]);
  });

  test('adds nothing to the transcript where the agent is the same', () => {
    expect(keptBy({ ...anns }).pending).toEqual([{ type: 'message', text: 'hello' }]);
  });
});
