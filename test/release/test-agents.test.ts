import { mkdirSync, readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { defineAgent, defineConfig, defineTool, externalTool, human } from 'reloop';
import { type TestAgents, type TestAgentsOptions, RunWaits, scripted, testAgents } from 'reloop/testing';

const final = (text: string) => ` I now know the final answer\nFinal Answer: ${text}`;
const act = (tool: string, input: string) => ` I need it.\nAction: ${tool}\nAction Input: ${input}`;

let sent = 0;
const mail = defineTool({ name: 'mail', description: 'Sends mail.', run: () => `sent ${++sent}` });
let tried = 0;
const press = defineTool({
  name: 'press',
  description: 'Prints.',
  run: () => {
    throw new Error(`out of paper, ${++tried}`);
  },
});
const far = externalTool({ name: 'far', description: 'Runs elsewhere.', taskQueue: 'elsewhere' });
const boss = human({ name: 'boss', description: 'Decides.' });
const config = defineConfig({
  agents: [
    defineAgent({ name: 'writer', kind: 'zero-shot', model: 'gpt-4o-mini', tools: [mail, press, far, boss] }),
    defineAgent({ name: 'own', kind: 'zero-shot', model: scripted([final('of the config')]) }),
    defineAgent({ name: 'real', kind: 'zero-shot', model: 'gpt-4o-mini' }),
  ],
});

const opened: TestAgents[] = [];
async function open(options: TestAgentsOptions): Promise<TestAgents> {
  const agents = await testAgents(config, options);
  opened.push(agents);
  return agents;
}

/** As another user of the machine would prepare it, who knows the number of this process. */
const prepared = join(tmpdir(), `reloop-test-${process.getuid?.() ?? ''}-${process.pid}`);

let agents: TestAgents;
beforeAll(async () => {
  mkdirSync(prepared);
  // What leads the project's commands elsewhere must not lead a test there.
  vi.stubEnv('TEMPORAL_ADDRESS', '127.0.0.1:1');
  vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/v1');
  agents = await open({
    models: { writer: [act('mail', 'hello'), final('done')] },
    tools: { mail: () => 'kept back' },
  });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await Promise.all(opened.map((one) => one.close()));
});

describe('the agents of a test', () => {
  test('have a server in a folder that nobody else can have prepared', () => {
    expect(readdirSync(prepared)).toEqual([]);
    rmdirSync(prepared);
  });

  test('answer from their script, with stand-ins for tools, as often as they are asked', async () => {
    for (const question of ['Write.', 'Write again.']) {
      const { output, intermediateSteps } = await agents.run('writer', question);
      expect([output, intermediateSteps[0]?.observation]).toEqual(['done', 'kept back']);
    }
    expect(sent).toBe(0);
    expect(agents.requests('writer')).toHaveLength(4);
    expect(agents.requests('writer')[3]?.prompt).toContain('Observation: kept back');
  });

  test('are given what stands in for a tool of another worker', async () => {
    const near = await open({
      models: { writer: [act('far', 'hello'), final('done')] },
      tools: { far: (text: string) => `${text} from nearby` },
    });
    const { intermediateSteps } = await near.run('writer', 'Call.');
    expect(intermediateSteps[0]?.observation).toBe('hello from nearby');
  });

  test('have the scripted models of their config where the test gives none', async () => {
    expect(await agents.run('own', 'Whose?')).toMatchObject({ output: 'of the config' });
    expect(agents.requests('own')).toHaveLength(1);
  });

  test('fail rather than ask a real model', async () => {
    await expect(agents.run('real', 'Hello?')).rejects.toMatchObject({
      name: 'AgentRunFailed',
      message: expect.stringContaining('would ask a real model, which a test does not') as string,
    });
    expect(() => agents.requests('real')).toThrow('its model is not a scripted one');
  });

  test('say, where the script is too short, at which step and what was asked, and what came before', async () => {
    const short = await open({ models: { writer: [act('mail', 'hello')] } });
    const error: unknown = await short.run('writer', 'Write.').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'AgentRunFailed', type: 'ModelBadRequest' });
    const { message } = error as Error; // as just seen
    expect(message).toContain('The script has 1 reply and this is step 2. It was asked: …');
    expect(message).toContain('Observation: sent 1');
    expect(message).toContain('\nIts steps:\n  1.1 mail(hello) -> sent 1');
  });

  test('end a test whose run waits for a person, after all attempts, and let it answer', async () => {
    const waiting = await open({ models: { writer: [act('press', 'x'), final('printed')] } });
    const error: unknown = await waiting.run('writer', 'Print.').catch((thrown: unknown) => thrown);
    if (!(error instanceof RunWaits)) throw error;
    expect(error.message).toContain('press (1.1) failed: out of paper, 3');
    expect(error.message).toContain("run.decide(waiting.call, { type: 'retry' })");
    expect(waiting.log.at(0)).toContain('press (1.1)');
    expect(waiting.log.join('\n')).not.toContain('The script has');

    await error.run.decide('1.1', { type: 'resolve', output: 'by hand' });
    expect(await error.run.result()).toMatchObject({ output: 'printed' });
  });

  test('do not take the run of another test for their own', async () => {
    await agents.run('own', 'Whose?', { id: 'same-id' });
    expect(await agents.run('own', 'Whose?', { id: 'same-id' })).toMatchObject({ output: 'of the config' });
    const others = await open({});
    await expect(others.run('own', 'Whose?', { id: 'same-id' })).rejects.toThrow(
      'Another testAgents() of this process has a run "same-id"',
    );
  });
});

test.each<[string, TestAgentsOptions, string]>([
  ['an agent', { models: { writr: ['x'] } }, 'the config has no agent "writr". It has: writer, own, real.'],
  ['a tool', { tools: { male: () => '' } }, 'the config has no tool "male". It has: mail, press, far, boss.'],
  ['a person as a tool', { tools: { boss: () => '' } }, 'answer it in `onWaiting`'],
])('a test that names %s that it cannot have is told so', async (_, options, says) => {
  await expect(testAgents(config, options)).rejects.toMatchObject({
    name: 'InvalidInput',
    message: expect.stringContaining(says) as string,
  });
});
