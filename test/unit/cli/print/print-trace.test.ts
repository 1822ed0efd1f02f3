import { describe, expect, test } from 'vitest';
import type { ModelTurn } from '../../../../agent/calls/calls.ts';
import type { RunEvent } from '../../../../agent/run/events.ts';
import {
  answers,
  atSeconds,
  decides,
  modelEnded,
  observes,
  waits,
  started,
} from '../../../support/run-events.ts';
import { screen, trace } from '../../../support/printed-trace.ts';

describe('the trace of a run', () => {
  test('shows thought, action, input, observation, tokens and time', () => {
    const events = atSeconds(
      started,
      ...decides('1', 'weather', 'Ravenna'),
      observes('1.1', 'weather', 'Ravenna', { sky: '晴れ' }),
      ...answers('2', 'Sunny'),
    );
    expect(trace(events)).toMatchInlineSnapshot(`
      "assistant  run run-1
      Question: What is the weather?

      [1] 1.2 s · 320 + 45 tokens
          Thought: I need weather.
          Action: weather
          Action Input: Ravenna
          Observation: {"sky":"晴れ"}
          250 ms
      [2] 1.2 s · 320 + 45 tokens
          Thought: I now know the final answer

      completed · 2 steps · 2 model calls · 1,200 + 34 tokens · 8.0 s
      "
    `);
  });

  test('begins with the type of a custom workflow, which has no question', () => {
    const own = { ...started, agent: '', input: '', workflow: 'compareCapitals' };
    expect(trace(atSeconds(own))).toBe('compareCapitals  run run-1\n\n');
  });

  const native = { toolCalls: [{ id: 'a', name: 'x', arguments: '' }], decision: calls('Invoking: x') };
  test.each<[what: string, text: string, turn: Partial<ModelTurn>, shown?: string]>([
    ['nothing of a reply that is JSON', '{"action": "x"}', {}],
    ['nothing of a reply that is a block of JSON', '```json\n{"action": "x"}\n```', {}],
    ['nothing of words that are the answer', 'Oslo.', { decision: { type: 'finish', output: 'Oslo.' } }],
    ['the words beside native tool calls', 'I look.', native, '    Thought: I look.'],
    ['no words where there are none', '', { ...native, toolCalls: [] }],
    ['the error in place of a reply not read', 'hm', { decision: calls('No!') }, '    Thought: No!'],
  ])('shows as thought %s', (_what, text, turn, shown) => {
    const { decision = { type: 'finish', output: 'y' }, ...more } = turn;
    const printed = trace(atSeconds(started, modelEnded('1', text, decision, more)));
    expect(printed.split('\n').find((line) => line.includes('Thought'))).toBe(shown);
  });

  test('says when a call was made at the limit, or with a shortened context', () => {
    const closing = modelEnded('2', 'x', { type: 'finish', output: 'x' }, { shortened: true });
    const events = atSeconds(started, { ...closing, closing: true } as typeof closing);
    expect(trace(events)).toContain('asked for its answer at the limit');
    expect(trace(events)).toContain('the oldest observations were shortened');
  });

  test('shows failed attempts, what waits, and what was decided', () => {
    const events = atSeconds(
      started,
      ...decides('1', 'search', 'cats'),
      { type: 'attempt_failed', call: '1.1', attempt: 1, error: { type: 'Error', message: 'no route' } },
      ...waits('1.1', 'search', 'cats'),
      { type: 'decided', call: '1.1', decision: { type: 'retry', input: 'dogs' } },
      { type: 'tool_started', call: '1.1', tool: 'search', toolInput: 'dogs' },
      observes('1.1', 'search', 'dogs', 'woof', 4),
      ...decides('2', 'search', 'birds'),
      ...waits('2.1', 'search', 'birds'),
      { type: 'decided', call: '2.1', decision: { type: 'skip', reason: 'not today' } },
      observes('2.1', 'search', 'birds', 'This tool call was skipped by the operator: not today'),
    );
    expect(trace(events)).toMatchInlineSnapshot(`
      "assistant  run run-1
      Question: What is the weather?

      [1] 1.2 s · 320 + 45 tokens
          Thought: I need search.
          Action: search
          Action Input: cats
          attempt 1 failed: no route; trying again
          Failed after 3 attempts: ConnectionError: no route to host
          Waiting for you: search (1.1) failed
          Decision: retry
          Action Input: dogs
          Observation: woof
          250 ms · 4 attempts
      [2] 1.2 s · 320 + 45 tokens
          Thought: I need search.
          Action: search
          Action Input: birds
          Failed after 3 attempts: ConnectionError: no route to host
          Waiting for you: search (2.1) failed
          Decision: skip (not today)
          Observation: This tool call was skipped by the operator: not today
          250 ms
      "
    `);
  });

  test('shows a reply that could not be read, a cut one, and warnings', () => {
    const unread = { tool: '_Exception', toolInput: 'Invalid Format' };
    const decision = { type: 'act' as const, actions: [{ ...unread, observation: 'x' }] };
    const cut = { finishReason: 'length', warnings: ['the model refused `stop`'], attempts: 2 };
    const log = 'Hm.\nLet me think.';
    const events = atSeconds(
      modelEnded('1', log, decision, cut),
      { type: 'action', call: '1.1', action: { ...unread, log } },
      observes('1.1', '_Exception', 'Invalid Format', 'Invalid Format', 0),
    );
    expect(trace(events)).toMatchInlineSnapshot(`
      "[1] 1.2 s · 320 + 45 tokens · 2 attempts
          Thought: Hm.
          Let me think.
          the reply was cut off at the token limit
          warning: the model refused \`stop\`
          This reply could not be read.
          Observation: Invalid Format
      "
    `);
  });

  test('names the call where a turn has several', () => {
    const calls = ['a', 'b'].map((toolInput) => ({ tool: 'search', toolInput }));
    const actions = calls.map((action, index) => {
      return { type: 'action', call: `1.${index + 1}`, action: { ...action, log: '' } } as const;
    });
    const events = atSeconds(
      modelEnded('1', 'Both.', { type: 'act', actions: calls }),
      ...actions,
      observes('1.2', 'search', 'b', 'B'),
      observes('1.1', 'search', 'a', 'A'),
    );
    expect(trace(events)).toMatchInlineSnapshot(`
      "[1] 1.2 s · 320 + 45 tokens
          Thought: Both.
          Action (1.1): search
          Action Input (1.1): a
          Action (1.2): search
          Action Input (1.2): b
          Observation (1.2): B
          250 ms
          Observation (1.1): A
          250 ms
      "
    `);
  });

  test('says how a run ended that has no answer', () => {
    const ended = { type: 'run_ended', output: null, iterations: null, usage: null, error: null } as const;
    const error = { type: 'ModelNotFound', message: 'no such model' };
    const failed = atSeconds(
      started,
      { type: 'model_failed', call: '1', attempts: 5, error },
      { ...ended, status: 'failed', stopReason: 'error', error },
    );
    const stopped = atSeconds(started, { ...ended, status: 'stopped', stopReason: 'max_iterations' });
    expect(trace(failed)).toMatchInlineSnapshot(`
      "assistant  run run-1
      Question: What is the weather?

      The model call of step 1 failed after 5 attempts: ModelNotFound: no such model

      failed · 0 steps · 0 model calls · 0 + 0 tokens · 2.0 s
      "
    `);
    expect(trace(stopped).trim().split('\n').at(-1)).toMatch(/^stopped \(max_iterations\) · 0 steps/);
  });

  const long = Array.from({ length: 20 }, (_, index) => `漢字 ${index}`).join('\n');
  const longObservation = atSeconds(observes('1.1', 'search', 'x', long));

  test('cuts a long observation and says how much', () => {
    expect(trace(longObservation)).toMatchInlineSnapshot(`
      "    Observation: 漢字 0
          漢字 1
          漢字 2
          … 95 more characters
          250 ms
      "
    `);
  });

  test('has all of a long observation where no limit is given', () => {
    expect(trace(longObservation, { rows: Infinity })).toContain('漢字 19');
  });

  test('shows progress that is not text, which a tool in JavaScript can report', () => {
    const progress = JSON.parse('{"type":"tool_progress","call":"1.1","attempt":1,"text":20}') as RunEvent;
    expect(trace([...atSeconds(started, ...decides('1', 'weather', 'Ravenna')), progress])).toContain('… 20');
  });

  test('lets no terminal codes of a tool through', () => {
    expect(trace(atSeconds(observes('1.1', 'x', 'x', '\u{1b}[2Jgone')))).not.toContain('\u{1b}');
  });
});

describe('the trace on a terminal', () => {
  const text = (attempt: number, said: string) =>
    ({ type: 'model_text', call: '1', attempt, text: said }) as const;

  test('shows what the model thinks until it writes', () => {
    const events = atSeconds(
      { type: 'model_started', call: '1' },
      { type: 'model_reasoning', call: '1', attempt: 1, text: 'First the tool' },
      text(1, ' I need'),
    );
    expect(screen(trace(events, { live: true, width: () => 24 }))).toEqual([
      ['[1] thinking …'],
      ['[1] thinking …', '    First the tool'],
      ['[1] writing …', '    I need'],
      [],
    ]);
  });

  test('writes partial text anew in place, and of a retried call only the new attempt', () => {
    const events = atSeconds(
      { type: 'model_started', call: '1' },
      text(1, ' I need'),
      text(1, ' I need to look at 漢字漢字漢字'),
      text(2, ' I'),
      modelEnded('1', ' I know', { type: 'finish', output: 'x' }),
    );
    expect(screen(trace(events, { live: true, width: () => 24 }))).toEqual([
      ['[1] thinking …'],
      ['[1] writing …', '    I need'],
      ['[1] writing …', '    I need to look at ', '    漢字漢字漢字'],
      ['[1] writing, attempt 2 …', '    I'],
      ['[1] 1.2 s · 320 + 45 tokens', '    Thought: I know'],
    ]);
  });

  test('takes back what a model call had written when it breaks off', () => {
    const error = { type: 'ModelStreamCut', message: 'cut' };
    const events = atSeconds(
      { type: 'model_started', call: '1' },
      text(1, ' I need'),
      { type: 'attempt_failed', call: '1', attempt: 1, error },
      text(2, ' I must'),
    );
    expect(screen(trace(events, { live: true })).slice(-3, -1)).toEqual([
      ['    attempt 1 failed: ModelStreamCut: cut; trying again', '    attempt 2 …'],
      ['    attempt 1 failed: ModelStreamCut: cut; trying again', '[1] writing, attempt 2 …', '    I must'],
    ]);
  });

  test('shows progress in place, and lines that stay above it', () => {
    const error = { type: 'E', message: 'x' };
    const failed = { type: 'attempt_failed', call: '1.1', attempt: 1, error } as const;
    const events = atSeconds(
      { type: 'tool_started', call: '1.1', tool: 'search', toolInput: 'x' },
      { type: 'tool_progress', call: '1.1', attempt: 1, text: 'page 1' },
      failed,
      observes('1.1', 'search', 'x', 'found'),
    );
    const screens = screen(trace(events, { live: true }));
    const stays = ['    Action Input: x', '    attempt 1 failed: E: x; trying again'];
    expect(screens.at(-2)).toEqual([...stays, '    attempt 2 …']);
    expect(screens.at(-1)).toEqual([...stays, '    Observation: found', '    250 ms']);
  });
});

function calls(log: string): ModelTurn['decision'] {
  return { type: 'act', actions: [{ tool: 'x', toolInput: null, log }] };
}
