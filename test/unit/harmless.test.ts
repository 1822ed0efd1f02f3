import { describe, expect, test } from 'vitest';
import { emptyReport } from '../../client/report.ts';
import { finish } from '../../cli/follow/finish.ts';
import { harmless } from '../../cli/print/harmless.ts';
import { thoughtIn } from '../../cli/print/trace-words.ts';
import { noUsage } from '../../agent/vocabulary.ts';
import { fakeIo } from '../support/fake-io.ts';

const title = '\u001b]0;owned\u0007';

/** What `reloop run` and `watch` do with an answer. */
async function printed(output: string, terminal: boolean): Promise<string> {
  const io = fakeIo({ terminal });
  const report = { ...emptyReport('a', 'r'), status: 'completed', output } as const;
  const run = { id: 'a', describe: () => Promise.resolve(report) };
  await finish(io, run, { type: 'ended', report }, 'answer');
  return io.out();
}

describe('words of models and tools', () => {
  test('bring no terminal codes into an answer on a terminal', async () => {
    expect(await printed(`${title}55`, true)).toBe('\ufffd]0;owned\ufffd55\n');
  });

  test('go into a pipe as they are', async () => {
    expect(await printed(`${title}55`, false)).toBe(`${title}55\n`);
  });

  test('neither turn the order of a line around nor hold codes above 127', () => {
    expect(harmless('a\u202eb\u2066c\u2069d\u009be')).toBe('a\ufffdb\ufffdc\ufffdd\ufffde');
  });

  test('may have 400,000 blanks after the word Action: the thought is found', () => {
    const text = `I wonder. Action ${' '.repeat(400_000)}x`;
    const decision = { type: 'finish', output: 'other' } as const;
    const turn = { text, decision, finishReason: 'stop', usage: noUsage, request: '' } as const;
    expect(thoughtIn(turn)).toContain('I wonder. Action');
  });
});
