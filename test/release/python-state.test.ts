import { describe, expect, it } from 'vitest';
import { python } from '../../adapters/tools/python/python.ts';
import type { EarlierCall } from '../../adapters/tools/tool.ts';
import { alive, until } from '../support/processes.ts';
import { interpreters, newRun, printGroup } from '../support/python-run.ts';
import { toolContext } from '../support/tool-context.ts';

describe.each(interpreters)('the state of a run on %s', { timeout: 60_000 }, (interpreter) => {
  it('gets its state back on another worker: earlier code runs again, unheard', async () => {
    const run = newRun({ interpreter });
    await run.call('```python\nimport random\nn = random.random()\nprint(n)\n```');
    await run.call('names = {"b", "a", "c"}\nundefined_name');
    const told = await run.call('print(n, list(names))');
    run.moveToAnotherWorker();
    expect(await run.call('print(n, list(names))')).toBe(told);
    expect(run.progress.slice(1)).toEqual([
      'starting Python',
      'restoring Python: running call 1.1 again',
      'restoring Python: running call 2.1 again',
      'restoring Python: running call 3.1 again',
    ]);
  });

  it('tells the model when its code ended Python, and keeps the state of the calls before', async () => {
    const run = newRun({ interpreter });
    await run.call('x = 1');
    expect(await run.call('import os; os._exit(1)')).toMatch(/^Python ended while it ran this code/u);
    expect(await run.call('print(x)')).toBe('1\n');
    expect(run.progress).not.toContain('restoring Python: running call 2.1 again');
  });
});

describe('the state of a run', { timeout: 60_000 }, () => {
  const interpreter = interpreters.at(-1) ?? 'pyodide';

  it('runs a call whose result was lost in a fresh interpreter, not twice in one', async () => {
    const run = newRun({ interpreter });
    await run.call('n = 0');
    expect(await run.call('n += 1\nprint(n)')).toBe('1\n');
    run.loseLastResult();
    expect(await run.call('n += 1\nprint(n)', { attempt: 2 })).toBe('1\n');
    expect(await run.call('n += 1\nprint(n)')).toBe('2\n');
  });

  it('does not take the state of a call with the same number and other code', async () => {
    const run = newRun({ interpreter });
    await run.call('x = 1');
    run.loseLastResult();
    run.earlier.push({ call: '1.1', toolInput: 'x = 2', output: '' });
    expect(await run.call('print(x)', { callId: '2.1' })).toBe('2\n');
  });

  it('gives calls of one turn an interpreter each', async () => {
    const run = newRun({ interpreter });
    await run.call('x = 1');
    const turn = [...run.earlier];
    const both = ['a', 'b'].map((name) =>
      run.call(`import time; time.sleep(0.2); x += 1; print("${name}", x)`, {
        earlierCalls: () => Promise.resolve(turn),
      }),
    );
    expect(await Promise.all(both)).toEqual(['a 2\n', 'b 2\n']);
    expect(await run.call('print(x)')).toBe('3\n');
  });

  it('passes over an earlier input that was refused', async () => {
    const refused = { call: '1.1', toolInput: { a: '1', b: '2' }, output: 'python takes one string' };
    const { call } = newRun({ interpreter }, [refused]);
    expect(await call('print(1)')).toBe('1\n');
  });

  it('keeps a few idle interpreters, and brings back the state of one that had to go', async () => {
    const tool = python({ interpreter });
    const call = (runId: string, code: string, earlier: EarlierCall[] = []) => {
      const callId = `${earlier.length + 1}.1`;
      return tool.run(
        code as never,
        toolContext({ runId, callId, earlierCalls: () => Promise.resolve(earlier) }),
      );
    };
    const groups: number[] = [];
    for (const run of ['a', 'b', 'c', 'd', 'e', 'f'])
      groups.push(Number(await call(run, printGroup(interpreter))));
    await until(() => groups.map(alive).join() === 'false,false,true,true,true,true');
    expect(await call('a', 'print(x)', [{ call: '1.1', toolInput: 'x = 1', output: '' }])).toBe('1\n');
  });
});
