import { describe, expect, it } from 'vitest';
import { python } from '../../tools/python/python.ts';
import { interpreters, newRun } from '../support/python-run.ts';

describe.each(interpreters)('python on %s', { timeout: 60_000 }, (interpreter) => {
  it("answers the inputs of LangChain's Fibonacci run as its REPL does", async () => {
    const { call } = newRun({ interpreter });
    const definition =
      'def fibonacci(n):\n    if n == 0:\n        return 0\n    elif n == 1:\n        return 1\n    else:\n        return fibonacci(n-1) + fibonacci(n-2)';
    expect(await call('fibonacci(10)')).toBe("name 'fibonacci' is not defined");
    expect(await call(definition)).toBe('');
    expect(await call('fibonacci(10)')).toBe('');
    expect(await call('print(fibonacci(10))')).toBe('55\n');
  });

  it('returns what was printed, and only that', async () => {
    const { call } = newRun({ interpreter });
    const cases: [input: string, output: string][] = [
      ['1 + 1', ''],
      ['print(1); print(2, end="")', '1\n2'],
      ['print("Größe 日本 \u2028 \\U0001F600")', 'Größe 日本 \u2028 😀\n'],
      ['import sys; sys.stdout.buffer.write(b"bytes")', 'bytes'],
      ['print("no", file=sys.stderr)', ''],
      ['import os; os.write(1, b"no")', ''],
      ['print("before")\nsys.exit(1)', 'before\n'],
      ['sys.stdout.close()', ''],
      ['print("open again")', 'open again\n'],
      ['if __name__ == "__main__":\n    print("main")', 'main\n'],
    ];
    for (const [input, output] of cases) expect(await call(input)).toBe(output);
  });

  it('returns the message of an exception alone', async () => {
    const { call } = newRun({ interpreter });
    const cases: [input: string, output: string][] = [
      ['print("dropped")\n1 / 0', 'division by zero'],
      ['def f(:', 'invalid syntax (<string>, line 1)'],
      ['raise KeyError("a")', "'a'"],
      ['assert 1 == 2', 'AssertionError'],
      ['raise KeyboardInterrupt', 'KeyboardInterrupt'],
      ['input()', 'EOF when reading a line'],
      ['import no_such_module', "No module named 'no_such_module'"],
      ['class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd', 'Odd'],
    ];
    for (const [input, output] of cases) expect(await call(input)).toBe(output);
  });

  it('runs code that is wrapped as Markdown, or indented', async () => {
    const { call } = newRun({ interpreter });
    const inputs = [
      '```python\nprint(1)\n```',
      '```Python\r\nprint(1)\r\n```',
      '```py\nprint(1)```',
      '```\nprint(1)\n```\nThis prints 1.',
      '```python\nprint(1)',
      '````python3\nprint(1)\n````',
      '```print(1)```',
      '`print(1)`',
      'python\nprint(1)',
      '\n\n  print(1)\n',
      '\n    one = 1\n    print(one)',
    ];
    for (const input of inputs) expect([input, await call(input)]).toEqual([input, '1\n']);
    expect(await call('print("```", `1`)')).toBe('invalid syntax (<string>, line 1)');
    expect(await call('print("```")')).toBe('```\n');
  });

  it('keeps the state of each run to itself', async () => {
    const [one, two] = [newRun({ interpreter }), newRun({ interpreter })];
    await one.call('x = 1');
    expect(await two.call('print(x)')).toBe("name 'x' is not defined");
    expect(await one.call('print(x)')).toBe('1\n');
    expect(one.progress).toEqual(['starting Python']);
  });

  it('has an environment and a folder of its own', async () => {
    process.env['RELOOP_TEST_SECRET'] = 'hunter2';
    const { call } = newRun({ interpreter });
    const environment = await call('import os; print(dict(os.environ)); print(os.listdir("."))');
    expect(environment).not.toMatch(/RELOOP_TEST_SECRET|hunter2/u);
    expect(environment).toMatch(/\n\[\]\n$/u);
  });

  it('raises MemoryError at its memory limit and goes on', async () => {
    const { call } = newRun({ interpreter, memoryMb: 128 });
    await call('x = 1');
    expect(await call('y = "a" * 10**9')).toBe('MemoryError');
    expect(await call('z = []\nwhile True: z.append(bytes(10**6))')).toBe('MemoryError');
    expect(await call('z = None\nprint(x)')).toBe('1\n');
  });

  it('does not drown in output', async () => {
    const { call } = newRun({ interpreter });
    const output = await call('for _ in range(30): print("x" * 10**5, end="")');
    expect(output).toBe('x'.repeat(2_000_000));
  });
});

it.each([0, 63, 64.5, Number.NaN])('a memory limit of %d MB is refused', (memoryMb) => {
  expect(() => python({ memoryMb })).toThrow(/memoryMb is .*64 or more/u);
});

it('is called python, and takes another name and description', () => {
  expect(python()).toMatchObject({
    name: 'python',
    timeout: '60s',
    effects: 'idempotent',
    inputSchema: null,
  });
  const named = python({ name: 'Python REPL', description: 'A Python shell.', timeout: '5s', memoryMb: 64 });
  expect(named).toMatchObject({ name: 'Python REPL', description: 'A Python shell.', timeout: '5s' });
  expect(named).not.toHaveProperty('memoryMb');
});
