import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fibonacci, fibonacciQuestion } from '../../examples/fibonacci.ts';
import { girlfriend, girlfriendQuestion } from '../../examples/girlfriend.ts';
import { weather, weatherQuestion } from '../../examples/weather.ts';
import { asText } from '../../agent/vocabulary.ts';
import { defineTool } from '../../tools/tool.ts';
import type { AgentDefinition } from '../../worker/config.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';

/** The seeds' examples, step by step: tool, input, observation, answer, and what every request showed the model. */
let rigs: Rig[] = [];
async function runOf(agent: AgentDefinition, question: string) {
  const rig = await startRig({ agents: [agent] });
  rigs.push(rig);
  const run = await rig.client.start(agent.name, question);
  const result = await run.result();
  const steps = result.intermediateSteps.map(({ action, observation }) => [
    action.tool,
    action.toolInput,
    asText(observation),
  ]);
  const scratchpads: string[] = [];
  for await (const { request } of run.requests({ follow: false })) {
    const text = promptOf(request);
    scratchpads.push(text.slice(text.lastIndexOf(question) + question.length));
  }
  return { result, steps, scratchpads };
}
beforeAll(() => {
  rigs = [];
});
afterAll(() => Promise.all(rigs.map((rig) => rig.stop())));

/** The scratchpad that steps leave behind, as the zero-shot protocol joins them. */
function joined(steps: { action: { log: string }; observation: unknown }[]): string[] {
  return [...steps, undefined].map((_, count) =>
    steps
      .slice(0, count)
      .reduce(
        (text, { action, observation }) =>
          `${text}${action.log}\nObservation: ${String(observation)}\nThought:`,
        '\nThought:',
      ),
  );
}

describe('a seed', () => {
  test('000: four loops with a Python REPL, and 55', async () => {
    const { result, steps, scratchpads } = await runOf(fibonacci, fibonacciQuestion);
    expect(result).toMatchObject({ output: '55', iterations: 4, usage: { modelCalls: 4 } });
    expect(steps.map(([tool, , observation]) => [tool, observation])).toEqual([
      ['Python REPL', "name 'fibonacci' is not defined"],
      ['Python REPL', ''],
      ['Python REPL', ''],
    ]);
    expect(steps[1]?.[1]).toContain('return fibonacci(n-1) + fibonacci(n-2)');
    expect(scratchpads).toEqual(joined(result.intermediateSteps));
  });

  test('002: the weather is sunny, every sum is 3, and the model mends it', async () => {
    const { result, steps, scratchpads } = await runOf(weather, weatherQuestion);
    expect(result).toMatchObject({
      output: 'I will be 38 in ten years and the weather this week is sunny.',
      usage: { modelCalls: 3 },
    });
    expect(steps).toEqual([
      ['Weather', 'This week', 'Sunny^_^'],
      ['Calculator', '28 + 10', '3'],
    ]);
    expect(scratchpads).toEqual(joined(result.intermediateSteps));
  });

  test('004: two searches and a power, to the last digit', async () => {
    const { result, steps, scratchpads } = await runOf(girlfriend, girlfriendQuestion);
    expect(result).toMatchObject({ output: '3.99', usage: { modelCalls: 4 } });
    expect(steps).toEqual([
      [
        'Search',
        'Leo DiCaprio current girlfriend age',
        "['Leonardo DiCaprio has a new girlfriend: Who is Vittoria Ceretti?']",
      ],
      ['Search', 'Vittoria Ceretti age', '25 years'],
      ['Calculator', '25**0.43', 'Answer: 3.991298452658078'],
    ]);
    expect(scratchpads).toEqual(joined(result.intermediateSteps));
  });
});

test('a step costs the same history late in a run as early: at most 13 events and 8 KB with 2 KB observations', async () => {
  const look = defineTool({ name: 'look', description: 'looks', run: () => 'x'.repeat(2048) });
  const agents = [10, 30].map((steps) => ({
    name: `steps-${steps}`,
    model: modelOf((step) => (Number(step) > steps ? answer('done') : act('look', step))),
    tools: [look],
    maxIterations: null,
  }));
  const rig = await startRig({ agents });
  rigs.push(rig);
  const perStep = async (steps: number) => {
    const run = await rig.client.start(`steps-${steps}`, 'what?');
    await run.result();
    const { history } = await run.show();
    return { bytes: history.bytes / steps, events: history.events / steps };
  };
  const [early, late] = [await perStep(10), await perStep(30)];
  expect(late.events).toBeLessThanOrEqual(13);
  expect(late.bytes).toBeLessThanOrEqual(8192);
  expect(late.bytes / early.bytes).toBeLessThanOrEqual(1.15);
});
