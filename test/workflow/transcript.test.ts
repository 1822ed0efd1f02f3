import { describe, expect, test } from 'vitest';
import type { CallModelInput } from '../../agent/calls/calls.ts';
import { START, type Entry, advance } from '../../agent/transcript/entries.ts';
import { ModelError } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { createLoadedConfig } from '../../config/load/loaded-config.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { eventOf, startRig, useRig } from '../support/rig.ts';
import { act, answer, inTextFormat, modelOf, promptOf } from '../support/scripts.ts';

/** Holds its calls until they are let go: time for a worker to be replaced. */
let letGo: () => void = () => undefined;
let opened = new Promise<void>((resolve) => (letGo = resolve));
const gate = defineTool({
  name: 'gate',
  description: 'waits',
  retry: { maxAttempts: 1 },
  run: (input) => opened.then(() => `through ${input}`),
});
const echo = defineTool({ name: 'echo', description: 'echoes', run: (input) => `echo ${input}` });
const tools = [gate, echo];

const restarted = modelOf(
  (step) => [act('echo', 'a'), act('gate', 'b'), answer('ok')][Number(step) - 1] ?? '',
);
const turns = modelOf((step, request) =>
  step.endsWith('2') ? answer(`said ${promptOf(request).length}`) : act('echo', step),
);
let broken = true;
const failsOnce = modelOf((step) => {
  if (step === '2' && broken) {
    broken = false;
    throw new ModelError('ModelBadRequest', 'no', { retryable: false });
  }
  return `reply ${step}`;
});

const config: ConfigDefinition = {
  agents: [
    { name: 'restarted', model: restarted, tools },
    { name: 'turns', model: turns, tools },
    { name: 'fails-once', model: failsOnce, tools },
  ],
};
const rig = useRig(config);

describe('the transcript', () => {
  test('is rebuilt from history by a worker that has never seen the run', async () => {
    opened = new Promise<void>((resolve) => (letGo = resolve));
    const run = await rig.client.start('restarted', 'what?');
    await eventOf(run, 'tool_started', ({ call }) => call === '2.1');
    const stopped = rig.restart();
    letGo();
    await stopped;
    expect((await run.result()).output).toBe('ok');
    expect(scratchpad(restarted, '3')).toBe(
      `${act('echo', 'a')}\nObservation: echo a\nThought:${act('gate', 'b')}\nObservation: through b\nThought:`,
    );
  });

  test('is one for each of two agents in turn in one workflow', async () => {
    const results = await rig.temporal.workflow.execute('inTurn', {
      workflowId: `in-turn-${Date.now()}`,
      taskQueue: rig.taskQueue,
      args: ['turns', 'what?'],
    });
    expect(results).toMatchObject([{ iterations: 2 }, { iterations: 2 }]);
    expect(turns.requests.map(({ step }) => step)).toEqual(['1', '2', '1/1', '1/2']);
    expect(promptOf(turns.requests[3]?.request)).toContain('Question: said ');
    expect(promptOf(turns.requests[3]?.request).match(/Observation: echo/gu)).toHaveLength(1);
  });

  test('does not mix those of two agents side by side in one workflow', async () => {
    turns.requests.length = 0;
    await rig.temporal.workflow.execute('sideBySide', {
      workflowId: `side-by-side-${Date.now()}`,
      taskQueue: rig.taskQueue,
      args: ['turns', ['first?', 'second?']],
    });
    for (const [step, question] of [
      ['2', 'first?'],
      ['1/2', 'second?'],
    ] as const) {
      const asked = turns.requests.find((request) => request.step === step);
      expect(promptOf(asked?.request)).toContain(
        `Question: ${question}\nThought:${act('echo', step.replace('2', '1'))}`,
      );
    }
  });

  test.each([['with the cache'], ['from history alone']])(
    'takes a failed call that is scheduled again for one: %s',
    async (how) => {
      broken = true;
      const manifest = createLoadedConfig(inTextFormat(config)).manifest('fails-once', {});
      if (manifest === undefined) throw new Error('no such agent');
      const first: Entry[] = [
        { type: 'agent', manifest },
        { type: 'question', input: 'what?', chatHistory: [] },
      ];
      const second: Entry[] = [step('1.1', 'one')];
      const third: Entry[] = [step('2.1', 'two')];
      const [a, b] = [advance(START, first), advance(START, [...first, ...second])];
      const calls: { id: string; input: CallModelInput }[] = [
        { id: '1', input: { scope: 0, base: 0, prev: START.digest, delta: first } },
        { id: '2', input: { scope: 0, base: a.length, prev: a.digest, delta: second } },
        { id: '2~1', input: { scope: 0, base: a.length, prev: a.digest, delta: second } },
        { id: '2~2', input: { scope: 0, base: a.length, prev: a.digest, delta: second } },
        { id: '3', input: { scope: 0, base: b.length, prev: b.digest, delta: third } },
        { id: '4', input: { scope: 0, base: b.length, prev: '00000000deadbeef', delta: third } },
      ];
      // A worker without room for a transcript rebuilds each one.
      const other = how === 'with the cache' ? rig : await startRig(config, { transcriptCacheBytes: 1 });
      const texts = await other.temporal.workflow.execute('modelCalls', {
        workflowId: `by-hand-${Date.now()}`,
        taskQueue: other.taskQueue,
        args: [calls],
      });
      expect(texts).toEqual([
        'reply 1',
        'ModelBadRequest',
        'reply 2',
        'reply 2',
        'reply 3',
        'TranscriptCorrupt',
      ]);
      expect(scratchpad(failsOnce, '3')).toBe(
        'log one\nObservation: saw one\nThought:log two\nObservation: saw two\nThought:',
      );
      if (other !== rig) await other.stop();
    },
  );
});

function step(call: string, text: string): Entry {
  return {
    type: 'step',
    call,
    action: { tool: 'echo', toolInput: text, log: `log ${text}` },
    observation: `saw ${text}`,
  };
}

/** What the last request of a step says behind the question. */
function scratchpad(model: ReturnType<typeof modelOf>, id: string): string {
  const text = promptOf(model.requests.findLast((request) => request.step === id)?.request);
  return text.slice(text.indexOf('Question: what?\nThought:') + 'Question: what?\nThought:'.length);
}
