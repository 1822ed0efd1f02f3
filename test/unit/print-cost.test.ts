import pc from 'picocolors';
import { expect, test } from 'vitest';
import { type Usage, noUsage } from '../../agent/vocabulary.ts';
import { costWords } from '../../cli/print/cost.ts';
import { createTracePrinter } from '../../cli/print/trace-printer.ts';
import { atSeconds, modelEnded, started } from '../support/run-events.ts';

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
])('what was paid, %j, is printed as %j', (usage, words) => {
  expect(costWords({ ...noUsage, ...usage })).toEqual(words);
});

test('a trace says what each model call has cost, and at its end what the run has', () => {
  const lines: string[] = [];
  const write = (text: string) => lines.push(...text.split('\n').filter((line) => line.includes('$')));
  const printer = createTracePrinter({
    write,
    colors: pc.createColors(false),
    width: () => 80,
    live: false,
    rows: 3,
  });
  const usage = { ...noUsage, promptTokens: 320, completionTokens: 45, totalTokens: 365, modelCalls: 1 };
  const events = atSeconds(
    started,
    modelEnded('1', '', { type: 'act', actions: [] }, { usage: { ...usage, cost: 0.0021 } }),
    modelEnded('2', '', { type: 'finish', output: 'ok' }, { usage }),
    {
      type: 'run_ended',
      status: 'failed',
      stopReason: 'error',
      output: null,
      iterations: null,
      usage: null,
      error: null,
    },
  );
  for (const event of events) printer.print(event);
  expect(lines).toEqual([
    '[1] 1.2 s · 320 + 45 tokens · $0.0021',
    'failed · 2 steps · 2 model calls · 640 + 90 tokens · at least $0.0021 · 3.0 s',
  ]);
});
