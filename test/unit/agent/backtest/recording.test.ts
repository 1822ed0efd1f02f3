import { describe, expect, test } from 'vitest';
import { addToRecording, emptyRecording, findRecorded } from '../../../../agent/backtest/recording.ts';
import { mayRunLive, recordedAgent } from '../../../../agent/definition/recorded-agent.ts';
import type { AgentManifest } from '../../../../agent/definition/manifest.ts';
import {
  answers,
  atSeconds,
  decides,
  modelEnded,
  observes,
  restarted,
  started,
} from '../../../support/run-events.ts';
import { sampleManifest, sampleTool } from '../../../support/manifest.ts';

type Events = Parameters<typeof atSeconds>;

function recordingOf(manifest: AgentManifest, ...events: Events) {
  const recording = emptyRecording();
  for (const event of atSeconds(started, ...events)) addToRecording(recording, event, manifest);
  return recording;
}

const manifest = sampleManifest({
  tools: [sampleTool('search', ''), sampleTool('direct', '', { returnDirect: true })],
});
const search = { tool: 'search', toolInput: 'x' };

describe('a recording', () => {
  test('answers the same calls in their order, and then with the last', () => {
    const recording = recordingOf(
      manifest,
      ...decides('1', 'search', 'x'),
      observes('1.1', 'search', 'x', 'first'),
      ...decides('2', 'search', 'x'),
      observes('2.1', 'search', 'x', 'second'),
      ...answers('3', 'done'),
    );
    const found = [0, 1, 2].map((nth) => findRecorded(recording, search, nth)?.observation);
    expect(found).toEqual(['first', 'second', 'second']);
    expect(findRecorded(recording, search, 0)?.only).toBe(false);
  });

  test('does not depend on the order of an input’s fields', () => {
    const toolInput = { a: 1, b: 2 };
    const action = { tool: 'search', toolInput };
    const recording = recordingOf(manifest, modelEnded('1', '', { type: 'act', actions: [action] }), {
      type: 'step',
      step: { call: '1.1', action: { ...action, log: '' }, observation: 7, attempts: 1, durationMs: 1 },
    });
    const found = findRecorded(recording, { tool: 'search', toolInput: { b: 2, a: 1 } }, 0);
    expect(found).toMatchObject({ observation: 7, only: true });
  });

  test('answers with what a fork has changed an observation to', () => {
    const fork = restarted('fork', 2, { edits: [{ call: '1.1', observation: 'other' }] });
    const made = [...decides('1', 'search', 'x'), observes('1.1', 'search', 'x', 'first')];
    const recording = recordingOf(manifest, ...made, fork);
    expect(findRecorded(recording, search, 0)?.observation).toBe('other');
  });

  test('answers to the model’s input and to the one that a person gave in its place', () => {
    const made = [...decides('1', 'search', 'x'), observes('1.1', 'search', 'better', 'found')];
    const recording = recordingOf(manifest, ...made);
    expect(findRecorded(recording, search, 0)?.observation).toBe('found');
    expect(findRecorded(recording, { tool: 'search', toolInput: 'better' }, 0)?.observation).toBe('found');
  });

  test('has no call that did not end, and none that nothing was run for', () => {
    const recording = recordingOf(
      manifest,
      ...decides('1', 'unknown', 'x'),
      observes('1.1', 'unknown', 'x', 'unknown is not a valid tool', 0),
      ...decides('2', 'search', 'x'),
    );
    expect(findRecorded(recording, search, 0)).toBeUndefined();
    expect(findRecorded(recording, { tool: 'unknown', toolInput: 'x' }, 0)).toBeUndefined();
  });

  test('tells a result that ended its run from an observation that did not', () => {
    const events: Events = [...decides('1', 'direct', 'x'), observes('1.1', 'direct', 'x', 'no such thing')];
    const call = { tool: 'direct', toolInput: 'x' };
    const wentOn = recordingOf(manifest, ...events, ...answers('2', 'done'));
    expect(findRecorded(wentOn, call, 0)?.fromTool).toBe(false);
    const end = { output: 'no such thing', iterations: 1, usage: null, error: null };
    const direct = { type: 'run_ended', status: 'completed', stopReason: 'return_direct', ...end } as const;
    const ended = recordingOf(manifest, ...events, direct);
    expect(findRecorded(ended, call, 0)?.fromTool).toBe(true);
  });
});

describe('an agent whose calls are answered from a recording', () => {
  const agent = sampleManifest({
    onModelFailure: 'ask',
    tools: [
      sampleTool('asks', '', { onFailure: 'ask', approval: 'always' }),
      sampleTool('outside', '', { external: true, taskQueue: 'q' }),
      sampleTool('agent', '', { agent: 'other' }),
      sampleTool('person', '', { human: true }),
      sampleTool('reads', '', { effects: 'none', onFailure: 'observe' }),
    ],
  });

  test('asks nobody, and has nothing done elsewhere', () => {
    const { onModelFailure, tools } = recordedAgent(agent, 'none-effects');
    expect(onModelFailure).toBe('fail');
    for (const tool of tools) {
      expect(tool).not.toMatchObject({ onFailure: 'ask' });
      const { external, agent: other, human, approval, taskQueue } = tool;
      expect([external, other, human, approval, taskQueue]).toEqual(Array(5).fill(undefined));
    }
    const names = tools.filter((tool) => mayRunLive(tool, 'none-effects')).map(({ name }) => name);
    expect(names).toEqual(['reads']);
    expect(tools.some((tool) => mayRunLive(tool, undefined))).toBe(false);
  });

  test('has its tool’s failures told to the model only where the tool itself may run', () => {
    const policyOf = (live: 'none-effects' | undefined) =>
      recordedAgent(agent, live).tools.find(({ name }) => name === 'reads')?.onFailure;
    expect([policyOf('none-effects'), policyOf(undefined)]).toEqual(['observe', 'fail']);
  });
});
