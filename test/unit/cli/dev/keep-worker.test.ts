import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type KeptWorker, keepWorker } from '../../../../cli/dev/keep-worker.ts';
import { exitCodes } from '../../../../cli/shell/io.ts';
import type { WorkerChild } from '../../../../cli/dev/worker-child.ts';
import { tempFolder } from '../../../support/temp-folder.ts';

const folder = tempFolder();
const generated = join(folder, 'seen.ts');
const summary = { agents: { a: '' }, tools: {} };

/** A worker's process that loads, or fails to, when it is told to. */
function fakeChild() {
  let end: (isLoaded: boolean) => void = () => undefined;
  const isLoaded = new Promise<boolean>((resolve) => (end = resolve));
  const none = new Promise<never>(() => undefined);
  const failed = { type: 'failed' as const, code: exitCodes.usage, lines: ['broken'] };
  const child: WorkerChild = {
    pid: 1,
    startedAt: 0,
    loaded: isLoaded.then((is) => (is ? summary : undefined)),
    ready: isLoaded.then((is) => (is ? { type: 'ready', serves: [], waiting: 0 } : undefined)),
    draining: Promise.resolve(0),
    gone: isLoaded.then((is) => (is ? none : { how: 'exit code 2', failed })),
    tell: () => undefined,
    kill: () => undefined,
  };
  return { child, load: () => end(true), fail: () => end(false) };
}

let children: ReturnType<typeof fakeChild>[];
let said: string[];
let kept: KeptWorker;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  [children, said] = [[], []];
  const spawn = () => {
    const next = fakeChild();
    children.push(next);
    return next.child;
  };
  const onSay = (text: string) => said.push(text);
  const heard = { onBegin: () => undefined, onSay, onLoading: () => () => undefined };
  kept = keepWorker({ child: fakeChild().child, summary, spawn, watching: true, ...heard });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a config that writes a file which it imports', () => {
  test('is loaded, and after some loads only for other changes', async () => {
    kept.reload([generated]);
    for (let index = 0; index < children.length && index < 20; index++) {
      writeFileSync(generated, String(index));
      kept.reload([generated]);
      children[index]?.load();
      const loads = () => said.filter((line) => line.startsWith('Reloaded'));
      await vi.waitFor(() => expect(loads()).toHaveLength(index + 1));
    }
    expect(children).toHaveLength(3);
    expect(said.at(-1)).toMatch(/seen\.ts changes whenever the config is loaded/u);
    kept.reload([join(folder, 'other.ts')]);
    expect(children).toHaveLength(4);
  });

  test('does not wait for a load that hangs', () => {
    kept.reload([generated]);
    kept.reload([generated]);
    expect(children).toHaveLength(1);
    vi.advanceTimersByTime(20_000);
    expect(children).toHaveLength(2);
  });
});

test('a change of another file drops the load under way', () => {
  kept.reload([generated]);
  kept.reload([join(folder, 'other.ts')]);
  expect(children).toHaveLength(2);
});

describe('a config that could not be loaded, while a program writes files of ever new names beside it', () => {
  let names = 0;
  const newFile = () => kept.reload([join(folder, `data-${++names}.json`)], true);
  const failLast = async () => {
    const before = said.length;
    children.at(-1)?.fail();
    await vi.waitFor(() => expect(said.slice(before)).toContain('Still running the former one.'));
    await vi.waitFor(() => undefined); // what follows in the same turn
  };

  test('is loaded as soon as it is corrected: a new file does not drop a load', async () => {
    kept.reload([generated]);
    newFile();
    newFile();
    expect(children).toHaveLength(1);
    children[0]?.load();
    await vi.waitFor(() => expect(said.at(-1)).toMatch(/^Reloaded/u));
    newFile();
    // A new file of the time of a load that succeeds asks for nothing.
    expect(children).toHaveLength(2);
  });

  test('is loaded once more for the new files of the time of a load that failed', async () => {
    kept.reload([generated]);
    newFile();
    newFile();
    await failLast();
    expect(children).toHaveLength(2);
    await failLast();
    expect(children).toHaveLength(2);
  });

  test('is loaded for ten of them, then for a change of a file that it imports', async () => {
    kept.reload([generated]);
    for (let loads = 0; loads < children.length && loads < 30; loads++) {
      await failLast();
      newFile();
    }
    expect(children).toHaveLength(11);
    expect(said.filter((line) => line.includes('no new file has helped'))).toHaveLength(1);
    kept.reload([generated]);
    await failLast();
    newFile();
    expect(children).toHaveLength(13);
  });
});
