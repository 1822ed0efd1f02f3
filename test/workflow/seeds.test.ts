import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { apples, applesQuestion } from '../../examples/apples.ts';
import { fibonacci, fibonacciQuestion } from '../../examples/fibonacci.ts';
import { girlfriend, girlfriendQuestion } from '../../examples/girlfriend.ts';
import { industry, industryQuestions } from '../../examples/industry.ts';
import { weather, weatherQuestion } from '../../examples/weather.ts';
import { asText, type ChatMessage } from '../../agent/values/vocabulary.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import type { ModelRequest } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import type { AgentDefinition } from '../../config/define.ts';
import { type Rig, startRig } from '../support/rig.ts';
import { act, answer, modelOf, promptOf } from '../support/scripts.ts';
import { allOf } from '../support/all-of.ts';

/** The seeds' examples, step by step: tool, input, observation, answer, and what every request showed the model. */
const rigs: Rig[] = [];
async function runOf(agent: AgentDefinition, question: string) {
  const rig = await startRig({ agents: [agent] });
  rigs.push(rig);
  const run = await rig.client.start(agent.name, question);
  const trace = await traceOf(run);
  const scratchpads = trace.requests.map((request) => {
    const text = promptOf(request);
    return text.slice(text.lastIndexOf(question) + question.length);
  });
  return { ...trace, scratchpads };
}
async function traceOf(run: AgentRun) {
  const result = await run.result();
  const steps = result.intermediateSteps.map(({ action, observation }) => [
    action.tool,
    action.toolInput,
    asText(observation),
  ]);
  const asked = await allOf(run.requests({ follow: false }));
  return { result, steps, requests: asked.map(({ request }) => request) };
}
function messagesOf({ prompt }: ModelRequest): ChatMessage[] {
  return prompt.type === 'messages' ? prompt.messages : [];
}
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
  test('000 takes four loops with a Python REPL to 55', async () => {
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

  test('001 loses the observation that the model made up, and the tool says 124956', async () => {
    const { result, steps, requests } = await runOf(apples, applesQuestion);
    expect(result).toMatchObject({
      output: '小明一共有124956个苹果',
      iterations: 2,
      usage: { modelCalls: 2 },
    });
    expect(steps).toEqual([['Calculator', '534*234', '124956']]);
    const log = ' Action:\n```\n{\n  "action": "Calculator",\n  "action_input": "534*234"\n}\n```';
    expect(result.intermediateSteps[0]?.action.log).toBe(log);
    expect(requests.map(({ stop }) => stop)).toEqual([['\nObservation'], ['\nObservation']]);
    const reminder = '\n (keep in mind: everything you say has to be a JSON object with an action)';
    expect(requests.map((request) => messagesOf(request).slice(1))).toEqual(
      ['', `${log}\nObservation: 124956\nThought: `].map((scratchpad) => [
        { role: 'user', content: `${applesQuestion}\n\n${scratchpad}${reminder}` },
      ]),
    );
  });

  test('002 is told that it is sunny and that every sum is 3, and the model mends it', async () => {
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

  test('003 is a session that knows the name it was told, searches, and says which industry', async () => {
    const rig = await startRig({ agents: [industry] });
    rigs.push(rig);
    const session = randomUUID();
    const say = async (question: string) =>
      traceOf(await rig.client.start(industry.name, question, { session }));
    const [name, who, question] = industryQuestions;

    const first = await say(name);
    const second = await say(who);
    const third = await say(question);

    const answers = [first, second, third].map(({ result }) => result.output);
    expect(answers).toEqual([
      '你好,赖赖!有什么我可以帮助你的吗?',
      '你是赖赖,这是你在之前的提问中提到的。',
      '根据提供的信息,TMT行业在未来可能会有更好的发展前景。',
    ]);
    expect([first, second, third].map(({ requests }) => requests.length)).toEqual([1, 1, 2]);
    expect([first.steps, second.steps]).toEqual([[], []]);
    expect(third.steps).toEqual([['Search', question, expect.stringMatching(/^(标题: .+ 内容: .+\n){4}$/u)]]);

    const [, , found] = third.steps[0] ?? [];
    const conversation = [
      { role: 'user', content: name },
      { role: 'assistant', content: answers[0] },
      { role: 'user', content: who },
      { role: 'assistant', content: answers[1] },
    ];
    const asked = (text: string) => ({
      role: 'user',
      content: expect.stringMatching(new RegExp(`\n${text}$`, 'u')),
    });
    const action = { role: 'assistant', content: third.result.intermediateSteps[0]?.action.log };
    const told = {
      role: 'user',
      content: expect.stringContaining(
        `TOOL RESPONSE:\n---------------------\n${asText(found ?? '')}\n\nUSER'S INPUT`,
      ),
    };
    const shown = [first, second, third].map(({ requests }) =>
      requests.map((request) => messagesOf(request).slice(1)),
    );
    expect(shown).toEqual([
      [[asked(name)]],
      [[...conversation.slice(0, 2), asked(who)]],
      [
        [...conversation, asked(question)],
        [...conversation, asked(question), action, told],
      ],
    ]);
    expect(action.content).toBe(
      `\`\`\`json\n{\n  "action": "Search",\n  "action_input": "${question}"\n}\n\`\`\``,
    );
    await expect
      .poll(async () => (await rig.client.session(session).describe()).messages)
      .toEqual([
        ...conversation,
        { role: 'user', content: question },
        { role: 'assistant', content: answers[2] },
      ]);
  });

  test('004 takes two searches and a power, to the last digit', async () => {
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
    const { history } = await run.describe();
    return { bytes: history.bytes / steps, events: history.events / steps };
  };
  const [early, late] = [await perStep(10), await perStep(30)];
  expect(late.events).toBeLessThanOrEqual(13);
  expect(late.bytes).toBeLessThanOrEqual(8192);
  expect(late.bytes / early.bytes).toBeLessThanOrEqual(1.15);
});
