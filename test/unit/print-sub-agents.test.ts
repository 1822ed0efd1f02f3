import { describe, expect, test } from 'vitest';
import { answers, atSeconds, decides, observes, started, within } from '../support/run-events.ts';
import { screen, trace } from '../support/printed-trace.ts';

describe('the trace of a run with sub-agents', () => {
  test('shows their runs below their calls, the deeper the further in, and says once what waits', () => {
    const error = { type: 'Error', message: 'no route' };
    const begins = (agent: string) =>
      ({ type: 'run_started', id: `run of ${agent}`, runId: 'r', agent, input: 'x' }) as const;
    const waits = (call: string) =>
      ({
        type: 'waiting',
        park: { call, n: 0, tool: 'search', toolInput: 'cats', reason: 'failed', error },
      }) as const;
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
    expect(
      trace(events)
        .split('\n')
        .filter((line) => line.includes('Input')),
    ).toEqual(['        Action Input (1.1/1.1): cats', '        Action Input (1.2/1.1): dogs']);
  });

  test('shows what a sub-agent writes below its call, and takes it back when the call is over', () => {
    const writes = { type: 'model_text', call: '1', attempt: 1, text: ' I need' } as const;
    const below = within('1.1', started, { type: 'model_started', call: '1' }, writes);
    const events = [
      ...atSeconds({ type: 'tool_started', call: '1.1', tool: 'helper', toolInput: 'x' }, ...below),
      ...atSeconds(observes('1.1', 'helper', 'x', 'found')),
    ];
    const screens = screen(trace(events, { live: true }));
    expect(screens.at(-2)).toEqual([
      '    Action Input: x',
      '    assistant  run run-1',
      '    [1.1/1] writing …',
      '        I need',
    ]);
    expect(screens.at(-1)?.slice(2)).toEqual(['    Observation: found', '    250 ms']);
  });
});
