import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Embedded, defineAgent, defineConfig, defineTool, runAgentHere, startEmbedded } from 'reloop';
import { type ScriptedModel, scripted } from 'reloop/testing';
import { tempFolder } from '../support/temp-folder.ts';

const stateDir = tempFolder();
const final = (text: string) => ` I now know the final answer\nFinal Answer: ${text}`;

let asked = 0;
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  approval: 'always',
  run: (euros) => `${++asked}: ${euros} euros paid`,
});
const model: ScriptedModel = scripted([' So be it.\nAction: pay\nAction Input: 5', final('paid')]);
const config = defineConfig({
  agents: [
    defineAgent({ name: 'payer', kind: 'zero-shot', model, tools: [pay] }),
    defineAgent({ name: 'idle', kind: 'zero-shot', model: scripted([final('nothing')]) }),
    defineAgent({ name: 'keyless', kind: 'zero-shot', model: 'gpt-4o-mini' }),
  ],
});

/** One server for these tests; the programs' own way to it is the same. */
let embedded: Embedded;
beforeAll(async () => {
  vi.stubEnv('OPENAI_API_KEY', undefined);
  vi.stubEnv('OPENAI_BASE_URL', undefined);
  embedded = await startEmbedded(config, { stateDir });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await embedded.close();
});

describe('a program with Temporal in it', () => {
  test('says where its server, its Web UI and its queue are', () => {
    expect(embedded.address).toMatch(/^127\.0\.0\.1:\d+$/u);
    expect(embedded.uiUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
    expect(embedded.taskQueue).toMatch(/^reloop-program:/u);
  });

  test('runs an agent, tells its events and whom it waits for, and reads the same answer again', async () => {
    const waits: string[] = [];
    const events: string[] = [];
    const ask = () =>
      runAgentHere(config, 'payer', 'Pay five.', {
        stateDir,
        id: 'five',
        onEvent: ({ type }) => void events.push(type),
        onWaiting(waiting, run) {
          waits.push(`${waiting.tool} ${waiting.reason}`);
          return run.decide(waiting.call, { type: 'approve' });
        },
      });
    const first = await ask();
    expect(first).toMatchObject({ output: 'paid', intermediateSteps: [{ observation: '1: 5 euros paid' }] });
    expect(waits).toEqual(['pay approval']);
    expect(events.at(-1)).toBe('run_ended');
    expect(await ask()).toEqual(first);
    expect({ asked, requests: model.requests.length }).toEqual({ asked: 1, requests: 2 });
  });

  test('runs several at once, and hands on what an agent or a listener threw', async () => {
    const one = () => runAgentHere(config, 'idle', 'What?', { stateDir });
    const results = await Promise.all([one(), one(), one()]);
    expect(results.map(({ output }) => output)).toEqual(['nothing', 'nothing', 'nothing']);
    const onEvent = () => {
      throw new Error('my listener');
    };
    await expect(runAgentHere(config, 'idle', 'What?', { stateDir, onEvent })).rejects.toThrow('my listener');
  });
});

describe('refused before anything is started is', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ['an agent that is not there', () => runAgentHere(config, 'x', 'a'), 'has no agent "x". It has: payer'],
    ['an agent without a key', () => runAgentHere(config, 'keyless', 'a'), 'set OPENAI_API_KEY'],
    ['a config that is none', () => startEmbedded({ agents: [] }), 'startEmbedded: agents is empty'],
  ])('%s', async (_, start, says) => {
    await expect(start()).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining(says) as string,
    });
  });

  test('another config on a queue where this program is at work', async () => {
    const other = {
      agents: [defineAgent({ name: 'other', kind: 'zero-shot', model: scripted([final('no')]) })],
    };
    await expect(runAgentHere(other, 'other', 'a', { stateDir })).rejects.toMatchObject({
      name: 'ConfigError',
      message: expect.stringContaining('Put all agents into one config') as string,
    });
  });

  test('an id that stands for another question', async () => {
    await runAgentHere(config, 'idle', 'First?', { stateDir, id: 'taken' });
    await expect(runAgentHere(config, 'idle', 'Second?', { stateDir, id: 'taken' })).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('"First?"') as string,
    });
  });

  test('an id of a run whose queue nobody works on, which the option taskQueue takes over', async () => {
    await embedded.client.start('idle', 'Left?', { id: 'left-alone', taskQueue: 'gone' });
    const ask = (taskQueue?: string) =>
      runAgentHere(config, 'idle', 'Left?', { stateDir, id: 'left-alone', taskQueue });
    await expect(ask()).rejects.toThrow("With the option taskQueue: 'gone'");
    expect(await ask('gone')).toMatchObject({ output: 'nothing' });
  });
});
