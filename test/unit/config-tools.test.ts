import { describe, expect, test } from 'vitest';
import { type Tool, agentTool, calculator, http, human, search } from '../../tools/index.ts';
import { agent, problemOf, tool } from '../support/config.ts';

describe('a tool is refused', () => {
  const empty = 'is empty, or begins or ends with a blank, or has a line break';

  test.each<[what: string, fields: object, message: string]>([
    ['with an empty name', { name: '' }, `The tool name "" ${empty}.`],
    ['with a blank before its name', { name: ' t' }, `The tool name " t" ${empty}.`],
    ['with a blank behind its name', { name: 't\t' }, `The tool name "t\\t" ${empty}.`],
    ['with a line break in its name', { name: 't\nu' }, `The tool name "t\\nu" ${empty}.`],
    [
      'without a description',
      { description: '' },
      'the config: tool "t": description: is empty, but the model chooses by it.',
    ],
    [
      'with unknown effects',
      { effects: 'onec' },
      'the config: tool "t": effects: Invalid option: expected one of "none"|"idempotent"|"once".',
    ],
    [
      'where it is inline and has effects',
      { inline: true },
      `Tool "t": inline is for a tool without effects, because a call that was not recorded may be made again, or never. Give it effects: 'none', or leave inline out.`,
    ],
    [
      'with an unknown option, and told the known ones',
      { retries: 3 },
      'the config: tool "t": unknown option retries (known: name, description, timeout, retry, approval, inline, askTimeout, effects, onFailure, returnDirect, maxOutputChars, input, run, reconcile).',
    ],
    [
      'with an approval that says nothing',
      { approval: 'sometimes' },
      "the config: tool \"t\": approval: is none of 'always', 'never' and a function (input, context) => boolean.",
    ],
    [
      'with an end of waiting that is no duration',
      { askTimeout: { after: 'soon' } },
      "Tool \"t\": askTimeout: \"soon\" is not a duration. Write milliseconds or a text such as '30s', '10m', '1h'.",
    ],
    [
      'with an unknown end of waiting',
      { askTimeout: { after: '1h', unanswered: 'retry' } },
      "the config: tool \"t\": askTimeout: is neither a duration nor { after: '2h', unanswered: 'observe' | 'fail' }.",
    ],
    [
      'with an unknown way to fail',
      { onFailure: 'wait' },
      'the config: tool "t": onFailure: Invalid option: expected one of "ask"|"observe"|"fail".',
    ],
    [
      'with an unknown option of retry',
      { retry: { times: 3 } },
      'the config: tool "t": retry: unknown option times (known: maxAttempts, initialInterval, backoffCoefficient, maximumInterval).',
    ],
    [
      'without a single attempt',
      { retry: { maxAttempts: 0 } },
      'the config: tool "t": retry.maxAttempts: Too small: expected number to be >0.',
    ],
    [
      'with waits that shrink',
      { retry: { backoffCoefficient: 0.5 } },
      'the config: tool "t": retry.backoffCoefficient: Too small: expected number to be >=1.',
    ],
    [
      'with a time-out that is no duration',
      { timeout: 'long' },
      "Tool \"t\": timeout: \"long\" is not a duration. Write milliseconds or a text such as '30s', '10m', '1h'.",
    ],
    [
      'with no time',
      { timeout: '0s' },
      'Tool "t": timeout: 0 leaves no time at all. Leave it out for the default.',
    ],
    [
      'with a wait that is no duration',
      { retry: { initialInterval: 'x' } },
      "Tool \"t\": retry.initialInterval: \"x\" is not a duration. Write milliseconds or a text such as '30s', '10m', '1h'.",
    ],
    [
      'with a time that no timer can count',
      { timeout: '30d' },
      'Tool "t": timeout: "30d" is longer than a timer can count. Write at most \'24 days\'.',
    ],
    [
      'with a wait that never ends',
      { retry: { maximumInterval: Infinity } },
      'the config: tool "t": retry.maximumInterval: is no duration: give milliseconds, or a text such as \'30s\'.',
    ],
    [
      'that may say nothing',
      { maxOutputChars: 0 },
      'the config: tool "t": maxOutputChars: Too small: expected number to be >0.',
    ],
    [
      'with an option of another type',
      { returnDirect: 'yes' },
      'the config: tool "t": returnDirect: Invalid input: expected boolean, received string.',
    ],
  ])('%s', (_what, fields, message) => {
    expect(problemOf({ agents: [agent({ tools: [tool(fields)] })] })).toBe(message);
  });

  test('also where no agent lists it', () => {
    expect(problemOf({ agents: [agent()], tools: [tool({ retries: 3 })] })).toContain(
      'tool "t": unknown option retries',
    );
  });

  test.each(['callModel', 'resolveAgent', '_Exception', 'Final Answer', '__temporal_x'])(
    'with a name that means something else: %s',
    (name) => {
      expect(problemOf({ agents: [agent({ tools: [tool({ name })] })] })).toBe(
        `A tool cannot be called "${name}": the name is reserved.`,
      );
    },
  );

  test.each<[what: string, config: object]>([
    ['in two agents', { agents: [agent({ tools: [tool()] }), agent({ name: 'b', tools: [tool()] })] }],
    ['in an agent and beside it', { agents: [agent({ tools: [tool()] })], tools: [tool()] }],
  ])('that is another one of the same name: %s', (_what, config) => {
    expect(problemOf(config)).toBe(
      'Two different tools are called "t". Give one another name, or define it once and list it in both agents.',
    );
  });

  test('that is listed twice in one agent', () => {
    expect(problemOf({ agents: [agent({ tools: [calculator(), calculator()] })] })).toBe(
      'Agent "a" lists two tools that are called "calculator". Take one out, or give it another name.',
    );
  });

  test.each<[what: string, one: () => Tool, other: () => Tool]>([
    ['a calculator', calculator, () => calculator({ maxOutputChars: 10 })],
    ['a search', () => search({ apiKey: 'k' }), () => search({ apiKey: 'other' })],
    ['an http tool', () => http({ allow: ['a.example'] }), () => http({ allow: ['b.example'] })],
    ['a person', human, () => human({ description: 'Asks the boss.' })],
    [
      'a sub-agent',
      () => agentTool({ agent: 'a', name: 'sub', description: 'd' }),
      () => agentTool({ agent: 'a', name: 'sub', description: 'e' }),
    ],
  ])(
    'of ours that is written in place in two agents, but only where the options differ: %s',
    (_what, one, other) => {
      const agents = (second: Tool) => [agent({ tools: [one()] }), agent({ name: 'b', tools: [second] })];
      expect(problemOf({ agents: agents(one()) })).toBe('none');
      expect(problemOf({ agents: agents(other()) })).toContain('Two different tools are called');
    },
  );
});
