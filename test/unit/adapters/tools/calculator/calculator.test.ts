import { describe, expect, it } from 'vitest';
import { calculator } from '../../../../../adapters/tools/calculator/calculator.ts';
import { ComputationTimeout, evaluate, loadMath } from '../../../../../adapters/tools/calculator/math.ts';
import { ToolError } from '../../../../../adapters/tools/tool.ts';
import { toolContext } from '../../../../support/tool-context.ts';

/** Runs the calculator with a model that says `reply`, and notes what it was asked. */
async function compute(input: string, reply?: string, attempt = 1) {
  const asked: string[] = [];
  const complete = (prompt: string) => {
    asked.push(prompt);
    return reply === undefined ? Promise.reject(new Error('no model')) : Promise.resolve(reply);
  };
  const tool = calculator();
  const output = await tool.run(tool.parseInput(input) as never, toolContext({ complete, attempt }));
  return { output, asked };
}

describe('an expression', () => {
  it.each([
    ['25^0.43', '3.991298452658078'],
    ['25**0.43', '3.991298452658078'],
    ['(2022-1997)^(0.43)', '3.991298452658078'],
    ['37593 * 67', '2518731'],
    ['0.1 + 0.2', '0.30000000000000004'],
    ['-2**2', '-4'],
    ['2^100', '1.2676506002282294e+30'],
    ['3 × 4 − 6 ÷ 2', '9'],
    ['"25^0.43"', '3.991298452658078'],
    ['`2 + 2`', '4'],
    ['2 + 2 = ?', '4'],
    ['math.sqrt(16)', '4'],
    ['sqrt(-4)', '2i'],
    ['mean(1, 2, 6)', '3'],
    ['1/3 > 0.2', 'true'],
    ['[1, 2; 3, 4] * 2', '[[2, 4], [6, 8]]'],
    ['5 km / 2 hour', '2.5 km / hour'],
    ['10 inch to cm', '25.4 cm'],
    ['1/0', 'Infinity'],
  ])('%s is computed without asking a model', async (expression, value) => {
    expect(await compute(expression)).toEqual({ output: `Answer: ${value}`, asked: [] });
  });

  it.each([1e21, 123456789012345, 1e-6, 1.5e-7, 0.1, -42])(
    '%d is written as JavaScript does',
    async (number) => {
      expect((await compute(`${number} * 1`)).output).toBe(`Answer: ${number}`);
    },
  );
});

describe('a question in words', () => {
  it('is put to the model once, to be written as one expression', async () => {
    const { output, asked } = await compute('what is 25 to the power 0.43?', '```text\n25**0.43\n```\n');
    expect(output).toBe('Answer: 3.991298452658078');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchInlineSnapshot(`
      "Write the question below as one expression that a calculator can evaluate: numbers, the operators + - * / ^,
      and functions such as sqrt, log, sin, mean. No variables and no words. Reply with the expression only, in a block like this:

      \`\`\`text
      37593 * 67
      \`\`\`

      Question: what is 25 to the power 0.43?"
    `);
  });

  it.each([
    ['the expression alone', '6 * 7'],
    ['a block with talk around it', 'Sure:\n```text\n6 * 7\n```\nThat is it.'],
    ['a block without a label', '```\n6 * 7\n```'],
    ['a block on one line', '```6 * 7```'],
    ['a block that was cut off', '```text\n6 * 7'],
    ['the answer', 'Answer: 42'],
  ])('is computed where the model replies with %s', async (_what, reply) => {
    expect((await compute('six times seven', reply)).output).toBe('Answer: 42');
  });

  it('is told to the agent with both problems where the model cannot write it either', async () => {
    const computed = compute('how old is Ada?', 'age(Ada)');
    await expect(computed).rejects.toThrow(ToolError);
    const problems = /"how old is Ada\?".*"age\(Ada\)" \(no function age\).*Give it one expression/su;
    await expect(computed).rejects.toThrow(problems);
  });

  it('fails as the model fails', async () => {
    await expect(compute('six times seven')).rejects.toThrow('no model');
  });
});

it('nothing at all is refused without asking the model', async () => {
  await expect(compute('  ', '1')).rejects.toThrow(ToolError);
});

describe('a function that does more than compute', () => {
  const calls =
    'import({}) createUnit("foo") parse("1") ones(100000,100000) hypot(3,4).constructor cos a=3 1:1000000000';
  const spaced = [
    'evaluate("1 + 1")',
    'simplify("x + x")',
    'derivative("x^2", "x")',
    'f(n) = f(n + 1)',
    '1; 2',
    '"a" ',
  ];
  it.each([...calls.split(' '), ...spaced, '{ a: 1 }', '('.repeat(100_000)])(
    'is not one: %s',
    async (input) => {
      await expect(compute(input, 'no')).rejects.toThrow(ToolError);
    },
  );
});

it('the tool is called calculator, has no effects, and takes another name and description', () => {
  expect(calculator()).toMatchObject({ name: 'calculator', effects: 'none', inputSchema: null });
  const named = calculator({ name: 'Calculator', description: 'Useful for math.', timeout: '5s' });
  expect(named).toMatchObject({ name: 'Calculator', description: 'Useful for math.', timeout: '5s' });
});

describe('the time limit', () => {
  it('is one of the computation, not of loading what computes', () => {
    const slowly = () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200); // longer than the limit
      return loadMath();
    };
    expect(evaluate('21 * 9 / 5 + 32', slowly)).toEqual({ ok: true, value: '69.8' });
  });

  it('is an error to be tried again when it passes, and no question to the model', async () => {
    const computed = compute('combinations(1e15, 5e14)', '1');
    await expect(computed).rejects.toThrow(ComputationTimeout);
    await expect(computed).rejects.not.toThrow(ToolError);
  });

  it('is told to the agent when it passes again', async () => {
    await expect(compute('combinations(1e15, 5e14)', '1', 2)).rejects.toThrow(ToolError);
  });
});

describe('long inputs', () => {
  it.each([
    ['quotes', `${'"'.repeat(100_000)}1`],
    ['quotes around quotes', '"\''.repeat(50_000)],
    ['blanks before no equals sign', `1${' '.repeat(100_000)}x`],
    ['equals signs', '='.repeat(100_000)],
    ['fences', '```\n'.repeat(25_000)],
  ])('are read in one go: %s', async (_what, input) => {
    await expect(compute(input, input)).rejects.toThrow(ToolError);
  });
});
