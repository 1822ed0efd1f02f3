import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { alive, processes, until } from '../support/processes.ts';
import { interpreters, newRun, noPython3, printGroup } from '../support/python-run.ts';

describe.each(interpreters)('the process of %s', { timeout: 60_000 }, (interpreter) => {
  it('is killed when the call is cancelled, and the next call finds the state of the calls before', async () => {
    const { call } = newRun({ interpreter });
    const group = Number(await call(printGroup(interpreter)));
    await call('x = 41');
    expect(alive(group)).toBe(true);

    const cancel = new AbortController();
    const looping = call('x = 0\nwhile True: pass', { signal: cancel.signal });
    setTimeout(() => cancel.abort(new Error('cancelled')), 100);
    await expect(looping).rejects.toThrow('cancelled');
    await until(() => !alive(group));
    expect(await call('x += 1\nprint(x)')).toBe('42\n');
  });

  it('is not started for a call that is cancelled already', async () => {
    const { call, progress } = newRun({ interpreter });
    await expect(call('x = 1', { signal: AbortSignal.abort(new Error('cancelled')) })).rejects.toThrow(
      'cancelled',
    );
    expect(await call('print(2)')).toBe('2\n');
    expect(progress).toEqual(['starting Python', 'starting Python']);
  });

  describe('the process that uses it', () => {
    const script = fileURLToPath(new URL('../support/python-parent.ts', import.meta.url));
    const TMPDIR = mkdtempSync(join(tmpdir(), 'reloop-test-'));
    const folders = () => readdirSync(TMPDIR).filter((name) => name.startsWith('reloop-python-'));
    afterAll(() => rmSync(TMPDIR, { recursive: true, force: true }));

    async function startParent(mode: 'loop' | 'finish'): Promise<{ parent: ChildProcess; group: number }> {
      const args = ['--import', 'tsx', script, interpreter, mode];
      const parent = spawn(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, TMPDIR },
      });
      onTestFinished(() => void parent.kill('SIGKILL'));
      const [text] = (await once(parent.stdout, 'data')) as [Buffer]; // what a stream without encoding gives
      return { parent, group: Number(text.toString()) };
    }

    it('may be killed while code runs: the interpreter and its folder go with it', async () => {
      const { parent, group } = await startParent('loop');
      expect(alive(group)).toBe(true);
      expect(folders()).toHaveLength(1);
      parent.kill('SIGKILL');
      await until(() => !alive(group) && folders().length === 0);
    });

    it('is not kept alive by an idle interpreter, which ends with it', async () => {
      const { parent, group } = await startParent('finish');
      await until(() => parent.exitCode !== null && !alive(group) && folders().length === 0);
      expect(parent.exitCode).toBe(0);
    });
  });
});

describe.skipIf(noPython3)('the process of python3', { timeout: 60_000 }, () => {
  const interpreter = 'python3';

  it('takes with it what the code started, and its folder', async () => {
    const { call } = newRun({ interpreter });
    const printed = await call(
      'import os, subprocess\nopen("file", "w").write("x")\nprint(subprocess.Popen(["sleep", "600"]).pid, os.getcwd())',
    );
    const [pid, folder = ''] = printed.trim().split(' ');
    expect(existsSync(folder)).toBe(true);
    await expect(call('while True: pass', { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/u);
    await until(() => !processes().some((row) => row.pid === Number(pid)) && !existsSync(folder));
  });

  it('does not let a fork of the code answer in its place', async () => {
    const { call } = newRun({ interpreter });
    expect(await call('import os\nchild = os.fork()\nprint("child" if child == 0 else "parent")')).toBe(
      'parent\n',
    );
    expect(await call('os.waitpid(child, 0)\nprint(2)')).toBe('2\n');
  });

  it('takes the path of an interpreter, and says which one did not start', async () => {
    const { call } = newRun({ interpreter: './no/such/python' });
    await expect(call('print(1)')).rejects.toThrow(/^\/.*\/no\/such\/python did not start: .*not found/su);
  });
});
