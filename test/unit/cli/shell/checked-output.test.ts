import { openSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { checkedOutput } from '../../../../cli/shell/checked-output.ts';
import { columnsOf } from '../../../../cli/shell/io.ts';
import { cli } from '../../../../cli/cli.ts';
import { fakeIo } from '../../../support/fake-io.ts';

/** Fails as a write of Node's stdout does: the error goes to the callback and to the event. */
function failing(fail: (text: string) => void): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      try {
        fail(String(text));
        done();
      } catch (error) {
        done(error as Error); // thrown by `fail`
      }
    },
  });
  return stream.on('error', () => undefined); // as in main.ts
}

const coded = (code: string) => (text: string) => {
  if (text !== '') throw Object.assign(new Error(`${code}: it failed`), { code });
};

describe('output that cannot be written', () => {
  test.each([
    ['a full disk', coded('ENOSPC'), 1, /^error: The output could not be written: ENOSPC/u],
    ['a terminal that has gone', coded('EIO'), 1, /^error: The output could not be written: EIO/u],
    ['a reader that has seen enough', coded('EPIPE'), 0, /^$/u],
    ['nothing', () => undefined, 0, /^$/u],
  ])('because of %s decides on the exit code', async (_, fail, code, said) => {
    const io = fakeIo();
    expect(await cli(['--version'], { ...io, stdout: failing(fail) })).toBe(code);
    expect(io.err()).toMatch(said);
  });

  test('keeps the exit code of a command that failed anyway', async () => {
    expect(await cli(['no-such-command'], { ...fakeIo(), stderr: failing(coded('ENOSPC')) })).toBe(2);
  });

  test('is seen of a real full device', async () => {
    const device = openSync('/dev/full', 'w');
    const io = fakeIo();
    expect(await cli(['--help'], { ...io, stdout: failing((text) => writeSync(device, text)) })).toBe(1);
    expect(io.err()).toMatch(/ENOSPC/u);
  });
});

describe('the width of an output', () => {
  test.each([
    ['a terminal of 0 columns, which does not know', { isTTY: true, columns: 0 }, 80],
    ['a terminal that says nothing', { isTTY: true }, 80],
    ['a terminal of 132 columns', { isTTY: true, columns: 132 }, 132],
    ['a pipe', {}, undefined],
  ])('is right for %s', (_, output, columns) => {
    const checked = checkedOutput({ write: () => undefined, ...output });
    expect(checked.columns).toBe(columns);
    expect(columnsOf(checked)).toBe(columns ?? 80);
  });

  test('is asked anew for each line: windows change', () => {
    const output = { write: () => undefined, isTTY: true, columns: 100 };
    const checked = checkedOutput(output);
    output.columns = 60;
    expect(checked.columns).toBe(60);
  });
});
