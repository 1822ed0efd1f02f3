import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import type { ModelPrompt } from '../../../../agent/definition/kind.ts';
import { type Usage, noUsage } from '../../../../agent/values/vocabulary.ts';
import { costWords } from '../../../../features/render/words/usage-words.ts';
import { createProgressLine } from '../../../../cli/print/progress-line.ts';
import { requestLines } from '../../../../cli/print/prompt.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { modelRequest } from '../../../support/model-calls.ts';
import { screen, trace } from '../../../support/printed-trace.ts';
import {
  answers,
  atSeconds,
  decides,
  modelEnded,
  observes,
  started,
  within,
} from '../../../support/run-events.ts';

describe('the trace of a run with sub-agents', () => {
  test('shows their runs below their calls, the deeper the further in, and says once what waits', () => {
    const error = { type: 'Error', message: 'no route' };
    const begins = (agent: string) =>
      ({ type: 'run_started', id: `run of ${agent}`, runId: 'r', agent, input: 'x' }) as const;
    const wait = { n: 0, tool: 'search', toolInput: 'cats', reason: 'failed', error } as const;
    const waits = (call: string) => ({ type: 'waiting', wait: { call, ...wait } }) as const;
    const events = atSeconds(
      started,
      ...decides('1', 'helper', 'find cats'),
      ...within('1.1', begins('helper'), ...decides('1', 'finder', 'cats')),
      ...within('1.1/1.1', begins('finder'), ...decides('1', 'search', 'cats')),
      ...within('1.1/1.1', { type: 'tool_failed', call: '1.1', error, attempts: 1 }, waits('1.1')),
      waits('1.1/1.1/1.1'),
      ...within('1.1/1.1', { type: 'decided', call: '1.1', decision: { type: 'retry' } }),
      { type: 'resumed', call: '1.1/1.1/1.1' },
      ...within('1.1/1.1', observes('1.1', 'search', 'cats', 'meow'), ...answers('2', 'meow')),
      ...within('1.1', observes('1.1', 'finder', 'cats', 'meow'), ...answers('2', 'meow')),
      observes('1.1', 'helper', 'find cats', 'meow'),
      ...answers('2', 'Cats.'),
    );
    expect(trace(events)).toMatchInlineSnapshot(`
      "assistant  run run-1
      Question: What is the weather?

      [1] 1.2 s · 320 + 45 tokens
          Thought: I need helper.
          Action: helper
          Action Input: find cats
          helper  run run of helper
          [1.1/1] 1.2 s · 320 + 45 tokens
              Thought: I need finder.
              Action: finder
              Action Input: cats
              finder  run run of finder
              [1.1/1.1/1] 1.2 s · 320 + 45 tokens
                  Thought: I need search.
                  Action: search
                  Action Input: cats
                  Failed: no route
          Waiting for you: search (1.1/1.1/1.1) failed
                  Decision: retry
                  Observation: meow
                  250 ms
              [1.1/1.1/2] 1.2 s · 320 + 45 tokens
                  Thought: I now know the final answer
              completed · 2 steps · 2 model calls · 1,200 + 34 tokens · 13.0 s
              Observation: meow
              250 ms
          [1.1/2] 1.2 s · 320 + 45 tokens
              Thought: I now know the final answer
          completed · 2 steps · 2 model calls · 1,200 + 34 tokens · 22.0 s
          Observation: meow
          250 ms
      [2] 1.2 s · 320 + 45 tokens
          Thought: I now know the final answer

      completed · 2 steps · 2 model calls · 1,200 + 34 tokens · 31.0 s
      "
    `);
  });

  test('says whose a line is where two run at once', () => {
    const events = atSeconds(
      ...within('1.1', started),
      ...within('1.2', started),
      ...within('1.1', ...decides('1', 'search', 'cats')),
      ...within('1.2', ...decides('1', 'search', 'dogs')),
    );
    const inputs = trace(events).match(/^.*Input.*$/gmu);
    expect(inputs).toEqual(['        Action Input (1.1/1.1): cats', '        Action Input (1.2/1.1): dogs']);
  });

  test('shows what a sub-agent writes below its call, and takes it back when the call is over', () => {
    const writes = { type: 'model_text', call: '1', attempt: 1, text: ' I need' } as const;
    const below = within('1.1', started, { type: 'model_started', call: '1' }, writes);
    const events = [
      ...atSeconds({ type: 'tool_started', call: '1.1', tool: 'helper', toolInput: 'x' }, ...below),
      ...atSeconds(observes('1.1', 'helper', 'x', 'found')),
    ];
    const screens = screen(trace(events, { live: true }));
    const shown = [
      '    Action Input: x',
      '    assistant  run run-1',
      '    [1.1/1] writing …',
      '        I need',
    ];
    expect(screens.at(-2)).toEqual(shown);
    expect(screens.at(-1)?.slice(2)).toEqual(['    Observation: found', '    250 ms']);
  });
});

test.each<[usage: Partial<Usage>, words: string[]]>([
  [{}, []],
  [{ cost: 0 }, ['$0']],
  [{ cost: 0.00000105 }, ['<$0.0001']],
  [{ cost: 0.0001 }, ['$0.0001']],
  [{ cost: 0.01234 }, ['$0.0123']],
  [{ cost: 0.5 }, ['$0.5000']],
  [{ cost: 1.005001 }, ['$1.01']],
  [{ cost: 1234.5 }, ['$1,234.50']],
  [{ partialCost: 0.01234 }, ['at least $0.0123']],
])('a payment of %j is printed as %j', (usage, words) => {
  expect(costWords({ ...noUsage, ...usage })).toEqual(words);
});

test('a trace says what each model call has cost, and at its end what the run has', () => {
  const usage = { ...noUsage, promptTokens: 320, completionTokens: 45, totalTokens: 365, modelCalls: 1 };
  const ended = { output: null, iterations: null, usage: null, error: null };
  const events = atSeconds(
    started,
    modelEnded('1', '', { type: 'act', actions: [] }, { usage: { ...usage, cost: 0.0021 } }),
    modelEnded('2', '', { type: 'finish', output: 'ok' }, { usage }),
    { type: 'run_ended', status: 'failed', stopReason: 'error', ...ended },
  );
  const lines = trace(events)
    .split('\n')
    .filter((line) => line.includes('$'));
  expect(lines).toEqual([
    '[1] 1.2 s · 320 + 45 tokens · $0.0021',
    'failed · 2 steps · 2 model calls · 640 + 90 tokens · at least $0.0021 · 3.0 s',
  ]);
});

const tools = [
  { name: 'echo', description: 'Says it again.', parameters: { type: 'object' } },
  { name: 'now', description: 'The time.', parameters: { type: 'object' } },
];
const messages = [{ role: 'user' as const, content: 'Hi {there}' }];

describe('a request as it is printed', () => {
  test('shows a text prompt to the letter, then stop strings and parameters', () => {
    expect(printed({ type: 'text', text: 'Say\nhello.' })).toEqual([
      '--- step 3: prompt for test-model',
      'Say\nhello.',
      '--- step 3: stop',
      '[]',
      '--- step 3: parameters',
      '{"api":"chat","stream":false,"requestTimeoutMs":10000}',
    ]);
  });

  test('shows messages, and the tools that may be called', () => {
    expect(printed({ type: 'messages', messages, tools }).slice(0, -4)).toEqual([
      '--- step 3: messages for test-model',
      '{"role":"user","content":"Hi {there}"}',
      '--- step 3: tools',
      '{"name":"echo","description":"Says it again.","parameters":{"type":"object"}}',
      '{"name":"now","description":"The time.","parameters":{"type":"object"}}',
    ]);
  });

  test('says when the tools may not be called any more', () => {
    const [, , tool] = printed({ type: 'messages', messages, tools, toolChoice: 'none' });
    expect(tool).toBe('--- step 3: tools (tool choice: none)');
  });
});

function printed(prompt: ModelPrompt): string[] {
  return requestLines('3', modelRequest({}, { prompt }), { colors: pc.createColors(false), words: String });
}

const UP = '\u{1b}[1A\u{1b}[0J';

test('on a terminal what takes time is one line that changes and goes, and what stays is above it', () => {
  const io = fakeIo({ terminal: true, columns: 20 });
  const line = createProgressLine(io);
  line.show('Starting Temporal …');
  line.show('Building the Temporal CLI … 5 s');
  line.note('Port 8233 is taken.');
  line.end();
  expect(io.err()).toBe(
    `Starting Temporal …\n${UP}Building the Tempo…\n${UP}Port 8233 is taken.\nBuilding the Tempo…\n${UP}`,
  );
});

test('elsewhere each is a line of its own, once', () => {
  const io = fakeIo();
  const line = createProgressLine(io);
  line.show('Starting Temporal …');
  line.show('Starting Temporal …');
  line.note('Port 8233 is taken.');
  line.end();
  expect(io.err()).toBe('Starting Temporal …\nPort 8233 is taken.\n');
});
