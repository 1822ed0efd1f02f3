import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { PY_SPACE, pyLastCharacter, pyStrip } from '../../../../../agent/reply/python-text.ts';
import { openChannel, PythonEnded } from '../../../../../adapters/tools/python/channel.ts';
import { python, stripFence } from '../../../../../adapters/tools/python/python.ts';
import { interpreters, newRun } from '../../../../support/python-run.ts';

describe.each(interpreters)('python on %s', { timeout: 60_000 }, (interpreter) => {
  it("answers the inputs of LangChain's Fibonacci run as its REPL does", async () => {
    const { call } = newRun({ interpreter });
    const ends = 'if n == 0:\n        return 0\n    elif n == 1:\n        return 1';
    const definition = `def fibonacci(n):\n    ${ends}\n    else:\n        return fibonacci(n-1) + fibonacci(n-2)`;
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

it('is called python, and takes another name and description', () => {
  const usual = { name: 'python', timeout: '60s', effects: 'idempotent', inputSchema: null };
  expect(python()).toMatchObject(usual);
  const named = python({ name: 'Python REPL', description: 'A Python shell.', timeout: '5s', memoryMb: 64 });
  expect(named).toMatchObject({ name: 'Python REPL', description: 'A Python shell.', timeout: '5s' });
  expect(named).not.toHaveProperty('memoryMb');
});

// Recorded with Python 3.11: every character for which str.isspace() is true.
const PYTHON_BLANKS = [
  0x9, 0xa, 0xb, 0xc, 0xd, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
  0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000,
];

describe('white space is what Python says it is', () => {
  test('for a pattern that looks for it', () => {
    const blank = new RegExp(`^${PY_SPACE}$`, 'u');
    const matching = [...Array(0x10000).keys()].filter((code) => blank.test(String.fromCharCode(code)));
    expect(matching).toEqual(PYTHON_BLANKS);
  });

  test('for text that is stripped', () => {
    const stripped = [...Array(0x10000).keys()].filter((code) => pyStrip(String.fromCharCode(code)) === '');
    expect(stripped).toEqual(PYTHON_BLANKS);
  });
});

describe('strip', () => {
  test.each<[what: string, text: string, characters: string | undefined, stripped: string]>([
    ['takes blanks off both ends', '\t\n a b \x85\u3000', undefined, 'a b'],
    ['leaves a text without blanks as it is', 'a', undefined, 'a'],
    ['leaves nothing of blanks alone', ' \n\t ', undefined, ''],
    ['leaves an empty text empty', '', undefined, ''],
    ['leaves a BOM and a zero-width space, unlike JavaScript', '\ufeffa\u200b', undefined, '\ufeffa\u200b'],
    ['takes only the characters that it is given', ' "a" ', '"', ' "a" '],
    ['takes them as often as they come', '"""a"""', '"', 'a'],
    ['takes any of several', '"\'a\'"', '\'"', 'a'],
    ['leaves other blanks when told to take spaces', ' \na\t ', ' ', '\na\t'],
    ['leaves characters of two code units whole', ' 😀 ', undefined, '😀'],
  ])('%s', (_what, text, characters, stripped) => {
    expect(pyStrip(text, characters)).toBe(stripped);
  });
});

describe('the last character begins', () => {
  test.each<[what: string, text: string, at: number]>([
    ['one before the end', 'abc', 2],
    ['two before the end where it takes two code units', 'a😀', 1],
    ['one before the end behind such a character', '😀a', 2],
    ['one before the end for half a character', 'a\ud83d', 1],
  ])('%s', (_what, text, at) => {
    expect(pyLastCharacter(text)).toBe(at);
  });
});

describe('the channel to an interpreter', () => {
  let ours: Socket;
  let interpreter: Socket;
  beforeEach(async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    ours = connect((server.address() as AddressInfo).port, '127.0.0.1'); // a TCP server's
    [interpreter] = (await once(server, 'connection')) as [Socket]; // what this event gives
    interpreter.on('error', () => undefined);
    server.close();
  });
  afterEach(() => {
    ours.destroy();
    interpreter.destroy();
  });

  it('puts an answer together from its pieces', async () => {
    const asked = openChannel(ours).ask({});
    const answer = JSON.stringify({ output: `ä${'x'.repeat(200_000)}` });
    interpreter.write(answer.slice(0, 100_000));
    interpreter.write(`${answer.slice(100_000)}\n`);
    expect(await asked).toHaveLength(200_001);
  });

  it('takes the longest answer that an interpreter gives', async () => {
    const asked = openChannel(ours).ask({});
    interpreter.write(`${JSON.stringify({ output: '\0'.repeat(2_000_000) })}\n`);
    expect(await asked).toHaveLength(2_000_000);
  });

  it('is hung up when a line does not end: the call fails, this process does not', async () => {
    const channel = openChannel(ours);
    const asked = channel.ask({});
    for (let n = 0; n < 20; n++) interpreter.write('x'.repeat(1_000_000));
    await expect(asked).rejects.toThrow(PythonEnded);
    expect(channel.isOpen()).toBe(false);
  });
});

describe('a fence around code', () => {
  it.each([
    ['backticks', '`'.repeat(100_000)],
    ['backticks before a letter', `${'`'.repeat(100_000)}x`],
    ['fences with blanks between them', '``` '.repeat(25_000)],
    ['a fence and blank lines', `\`\`\`python${'\n'.repeat(100_000)}x`],
    ['lines of blanks in a fence', `\`\`\`\n${' \n'.repeat(50_000)}x`],
    ['blanks', ' '.repeat(100_000)],
    ['blank lines before a letter', `${'\n'.repeat(100_000)}x`],
  ])('is read in one go: %s', (_what, input) => {
    expect(stripFence(input).length).toBeLessThanOrEqual(input.length);
  });
});
