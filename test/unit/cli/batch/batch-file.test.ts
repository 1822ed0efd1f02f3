import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBatchFile } from '../../../../cli/batch/batch-file.ts';
import { progressWords } from '../../../../cli/batch/batch-progress.ts';
import { replaceFile, resultsText, rowResult } from '../../../../cli/batch/batch-results.ts';
import { csvLine, parseCsv, separatorOf } from '../../../../cli/batch/csv.ts';
import { UsageError } from '../../../../cli/shell/io.ts';
import type { BatchResult } from '../../../../client/api/batch.ts';
import { noUsage } from '../../../../agent/values/vocabulary.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const folder = tempFolder();

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('a CSV file', () => {
  test.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['\u{feff}a\n"x, ""y""\nz"\n', [['a'], ['x, "y"\nz']]],
    [
      'a,b\n,\n\n"",x\n',
      [
        ['a', 'b'],
        ['', ''],
        ['', 'x'],
      ],
    ],
    [
      'a,b\n1,say "no"\n',
      [
        ['a', 'b'],
        ['1', 'say "no"'],
      ],
    ],
    [
      'a,b\n1,',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    ['', []],
  ])('of the text %j has these cells', (text, cells) => {
    expect(parseCsv(text, ',').map((row) => row.cells)).toEqual(cells);
  });

  test.each([['a\n"never ends\n'], ['a,b\n1,"x" y\n']])('with a broken quote is refused: %j', (text) => {
    expect(() => parseCsv(text, ',')).toThrow(/^line 2: a quote/u);
  });

  test('knows the line of each row, also after a cell of several lines', () => {
    expect(parseCsv('a\n"1\n2"\n3\n', ',').map(({ line }) => line)).toEqual([1, 2, 4]);
  });

  test.each([
    ['a,b;c\n', ','],
    ['a;b;c,d\n', ';'],
    ['a\tb\n', '\t'],
    ['a\n1,2,3', ','],
  ])('with the header %j is separated by %j', (text, separator) => {
    expect(separatorOf(text)).toBe(separator);
  });

  test('that was written is read as it was', () => {
    const cells = ['plain', 'a,b', 'say "no"', 'two\nlines', '', ' blank '];
    expect(parseCsv(csvLine(cells), ',')[0]?.cells).toEqual(cells);
  });
});

describe('the inputs of a batch', () => {
  test('are the rows of a CSV file, with all their columns', async () => {
    const rows = await readBatchFile(fileOf('a.csv', 'ticket,question\n1,Where?\n'), undefined);
    expect(rows).toEqual([{ columns: { ticket: '1', question: 'Where?' }, input: { input: 'Where?' } }]);
  });

  test('are the lines of a JSON Lines file: texts, or objects with a context', async () => {
    const text = '"one"\n\n{"input":"two","n":2,"context":{"customer":"ann"},"variables":{"tone":"kind"}}\n';
    const rows = await readBatchFile(fileOf('a.jsonl', text), undefined);
    expect(rows.map(({ input }) => input)).toEqual([
      { input: 'one' },
      { input: 'two', context: { customer: 'ann' }, variables: { tone: 'kind' } },
    ]);
    expect(rows[1]?.columns).toMatchObject({ n: 2 });
  });

  test('are in the only column, or in the one that is named', async () => {
    const only = await readBatchFile(fileOf('only.csv', 'text\nWhere?\n'), undefined);
    expect(only[0]?.input).toEqual({ input: 'Where?' });
    const named = await readBatchFile(fileOf('named.csv', 'a,b\n1,Where?\n'), 'b');
    expect(named[0]?.input).toEqual({ input: 'Where?' });
  });

  test.each([
    ['none.csv', 'question\n', undefined, /has no rows/u],
    ['b.csv', 'a,b\n1,2\n', undefined, /line 2: which column is the question.*a, b/u],
    ['c.csv', 'a,b\n1,2\n', 'x', /no column "x"/u],
    ['d.csv', 'input,b\n1\n', undefined, /line 2: 1 cells, and the header has 2/u],
    ['e.csv', 'input,b\n ,1\n', undefined, /line 2: There is no question/u],
    ['f.csv', 'input,status\nWhere?,open\n', undefined, /column "status".*Rename yours/u],
    ['g.csv', 'input,input\nWhere?,x\n', undefined, /"input" twice/u],
    ['h.jsonl', '{"input":"a"}\n{broken\n', undefined, /line 2: this is not one line of JSON/u],
    ['i.jsonl', '{"input":"a","variables":{"n":1}}\n', undefined, /variable "n" is not a text/u],
    ['j.xlsx', '', undefined, /has to end with \.csv/u],
  ])('are refused before anything is started: %s', async (name, text, column, problem) => {
    const asked = readBatchFile(fileOf(name, text), column);
    await expect(asked).rejects.toThrow(problem);
    await expect(asked).rejects.toBeInstanceOf(UsageError);
  });

  test('are refused where there is no file', async () => {
    await expect(readBatchFile(join(folder, 'gone.csv'), undefined)).rejects.toThrow(/cannot be read/u);
  });
});

describe('the results of a batch', () => {
  const { signal, abort } = ((controller) => ({
    signal: controller.signal,
    abort: (reason: Error) => controller.abort(reason),
  }))(new AbortController());

  test('keep the columns of the file, in CSV and in JSON Lines', () => {
    const done: BatchResult = {
      status: 'fulfilled',
      id: 'b-1',
      value: {
        output: { kind: 'bug' },
        intermediateSteps: [],
        stopReason: 'final_answer',
        iterations: 1,
        usage: { ...noUsage, totalTokens: 7, cost: 0.25 },
      },
    };
    const rows = [{ ticket: '1', ...rowResult(done, signal) }];
    expect(resultsText(rows, 'csv')).toBe(
      'ticket,run,status,output,error,tokens,cost\n1,b-1,completed,"{""kind"":""bug""}",,7,0.25\n',
    );
    expect(JSON.parse(resultsText(rows, 'jsonl'))).toEqual(rows[0]);
  });

  test('say what waits, what failed and what was left', () => {
    const waiting: BatchResult = { status: 'waiting', id: 'b-1', waiting: [] };
    const failed: BatchResult = { status: 'rejected', id: 'b-2', reason: new TypeError('no') };
    const reason = new Error('ended');
    const before = rowResult({ status: 'rejected', id: 'b-3', reason }, signal);
    abort(reason);
    const left = rowResult({ status: 'rejected', id: 'b-3', reason }, signal);
    const rows = [rowResult(waiting, signal), rowResult(failed, signal), before, left];
    expect(rows.map(({ status, error }) => [status, error])).toEqual([
      ['waiting', 'paused'],
      ['failed', 'TypeError: no'],
      ['failed', 'Error: ended'],
      ['left', null],
    ]);
  });

  test('replace a file as a whole', async () => {
    const file = fileOf('out.csv', 'old');
    await replaceFile(file, 'new');
    expect(readFileSync(file, 'utf8')).toBe('new');
    await expect(replaceFile(join(folder, 'no', 'out.csv'), 'x')).rejects.toThrow(/could not be written/u);
  });
});

test('the progress of a batch has no word for what there is none of', () => {
  const usage = { ...noUsage, cost: 0.0041 };
  const all = { total: 300, running: 4, waiting: 1, done: 12, failed: 2, usage };
  expect(progressWords(all, 7_000)).toBe(
    '12 of 300 done, 2 failed, 1 waits for a person, 4 running, $0.0041, 2.0 a second',
  );
  const none = { total: 3, running: 0, waiting: 0, done: 0, failed: 0, usage: noUsage };
  expect(progressWords(none, 0)).toBe('0 of 3 done');
});
