import { describe, expect, test } from 'vitest';
import { type Tool, agentTool, calculator, http, human, search } from '../../../../adapters/tools/index.ts';
import { agent, problemOf, tool } from '../../../support/config.ts';

describe('a tool is refused', () => {
  const empty = 'is empty, or begins or ends with a blank. Give it another name';
  const unshown = 'holds a line break or another character that is not shown. Give it another name';

  test.each<[message: string, fields: object]>([
    [`"" ${empty}.`, { name: '' }],
    [`" t" ${empty}.`, { name: ' t' }],
    [`"tU+0009" ${empty}.`, { name: 't\t' }],
    [`"tU+000Au" ${unshown}.`, { name: 't\nu' }],
    [`"tU+001B]0;xU+0007u" ${unshown}.`, { name: 't\u001b]0;x\u0007u' }],
    [`"tU+009Bu" ${unshown}.`, { name: 't\u009bu' }],
    [`"tU+202Eu" ${unshown}.`, { name: 't\u202eu' }],
    [`"tU+2028u" ${unshown}.`, { name: 't\u2028u' }],
    [`"tU+D83Du" ${unshown}.`, { name: 't\ud83du' }],
  ])('%s', (message, fields) => {
    expect(problemOf({ agents: [agent({ tools: [tool(fields)] })] })).toBe(`The tool name ${message}`);
  });

  const known =
    'name, description, timeout, retry, approval, inline, background, askTimeout, effects, onFailure, returnDirect, maxOutputChars, input, run, reconcile';
  const retries = 'maxAttempts, initialInterval, backoffCoefficient, maximumInterval';
  const NO_APPROVAL =
    "is none of 'always', 'never', a function (input, context) => boolean, and { by: ['name'], when }.";
  const NO_ASK = "is neither a duration nor { after: '2h', unanswered: 'observe' | 'fail' }.";
  const NO_INTERVAL = "is not a duration: give milliseconds, or a text such as '30s'.";
  const SMALL = 'Too small: expected number to be';

  test.each<[message: string, fields: object]>([
    ['description: is empty, but the model chooses by it.', { description: '' }],
    ['effects: Invalid option: expected one of "none"|"idempotent"|"once".', { effects: 'onec' }],
    [`unknown option retries (known: ${known}).`, { retries: 3 }],
    [`approval: ${NO_APPROVAL}`, { approval: 'sometimes' }],
    [`askTimeout: ${NO_ASK}`, { askTimeout: { after: '1h', unanswered: 'retry' } }],
    ['onFailure: Invalid option: expected one of "ask"|"observe"|"fail".', { onFailure: 'wait' }],
    [`retry: unknown option times (known: ${retries}).`, { retry: { times: 3 } }],
    [`retry.maxAttempts: ${SMALL} >0.`, { retry: { maxAttempts: 0 } }],
    [`retry.backoffCoefficient: ${SMALL} >=1.`, { retry: { backoffCoefficient: 0.5 } }],
    [`retry.maximumInterval: ${NO_INTERVAL}`, { retry: { maximumInterval: Infinity } }],
    [`maxOutputChars: ${SMALL} >0.`, { maxOutputChars: 0 }],
    ['returnDirect: Invalid input: expected boolean, received string.', { returnDirect: 'yes' }],
  ])('%s', (message, fields) => {
    const problem = problemOf({ agents: [agent({ tools: [tool(fields)] })] });
    expect(problem).toBe(`the config: tool "t": ${message}`);
  });

  const INLINE =
    "inline is for a tool without effects, because a call that was not recorded may be made again, or never. Give it effects: 'none', or leave inline out.";
  const AT_ONCE = 'an inline call is over before the model could continue. Leave out inline or background.';
  const DIRECT =
    'with returnDirect the result ends the run, and with background the run continues without it. Leave out one of them.';
  const NO_DURATION = "is not a duration. Write milliseconds or a text such as '30s', '10m', '1h'.";

  test.each<[message: string, fields: object]>([
    [INLINE, { inline: true }],
    [AT_ONCE, { inline: true, effects: 'none', background: true }],
    [DIRECT, { returnDirect: true, background: true }],
    [`askTimeout: "soon" ${NO_DURATION}`, { askTimeout: { after: 'soon' } }],
    [`timeout: "long" ${NO_DURATION}`, { timeout: 'long' }],
    ['timeout: 0 leaves no time at all. Leave it out for the default.', { timeout: '0s' }],
    [`retry.initialInterval: "x" ${NO_DURATION}`, { retry: { initialInterval: 'x' } }],
    ['askTimeout: "366d" is too long. Write at most \'365 days\'.', { askTimeout: '366d' }],
    ['timeout: "30d" is longer than a timer can count. Write at most \'24 days\'.', { timeout: '30d' }],
  ])('%s', (message, fields) => {
    expect(problemOf({ agents: [agent({ tools: [tool(fields)] })] })).toBe(`Tool "t": ${message}`);
  });

  test('but not for a wait of a year', () => {
    expect(problemOf({ agents: [agent({ tools: [tool({ askTimeout: '365d' })] })] })).toBe('none');
  });

  test('even if no agent lists it', () => {
    const problem = problemOf({ agents: [agent()], tools: [tool({ retries: 3 })] });
    expect(problem).toContain('tool "t": unknown option retries');
  });

  test('without a run, with the option that was meant', () => {
    const { run, ...rest } = tool({});
    const problem = problemOf({ agents: [agent({ tools: [{ ...rest, runs: run }] })] });
    expect(problem).toContain('tool "t": run: is missing; unknown option runs (did you mean run?)');
  });

  const reserved = ['callModel', 'resolveAgent', '_Exception', 'Final Answer', '__temporal_x'];
  test.each(reserved)('with a name that means something else: %s', (name) => {
    const problem = problemOf({ agents: [agent({ tools: [tool({ name })] })] });
    expect(problem).toBe(`A tool cannot be called "${name}": the name is reserved.`);
  });

  test.each<[what: string, config: object]>([
    ['in two agents', { agents: [agent({ tools: [tool()] }), agent({ name: 'b', tools: [tool()] })] }],
    ['in an agent and beside it', { agents: [agent({ tools: [tool()] })], tools: [tool()] }],
  ])('beside another one of the same name: %s', (_what, config) => {
    expect(problemOf(config)).toBe(
      'Two different tools are called "t". Give one another name, or define it once and list it in both agents.',
    );
  });

  test('when one agent lists it twice', () => {
    expect(problemOf({ agents: [agent({ tools: [calculator(), calculator()] })] })).toBe(
      'Agent "a" lists two tools that are called "calculator". Take one out, or give it another name.',
    );
  });

  const sub = (description: string) => () => agentTool({ agent: 'a', name: 'sub', description });
  test.each<[what: string, one: () => Tool, other: () => Tool]>([
    ['a calculator', calculator, () => calculator({ maxOutputChars: 10 })],
    ['a search', () => search({ apiKey: 'k' }), () => search({ apiKey: 'other' })],
    ['an http tool', () => http({ allow: ['a.example'] }), () => http({ allow: ['b.example'] })],
    ['a person', human, () => human({ description: 'Asks the boss.' })],
    ['a sub-agent', sub('d'), sub('e')],
  ])('when it is ours and in two agents, only where the options differ: %s', (_what, one, other) => {
    const agents = (second: Tool) => [agent({ tools: [one()] }), agent({ name: 'b', tools: [second] })];
    expect(problemOf({ agents: agents(one()) })).toBe('none');
    expect(problemOf({ agents: agents(other()) })).toContain('Two different tools are called');
  });
});
