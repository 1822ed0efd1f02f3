import { setTimeout as sleep } from 'node:timers/promises';
import { defineAgent, defineConfig, defineTool } from 'reloop';
import { scripted } from 'reloop/testing';
import { z } from 'zod';
import { WIDTH } from './scale-task.ts';

/** The agents of bench/scale.ts: one asks a person, one makes many calls in a turn, and one makes a single call. */
const call = (name: string, index = 0) => ({ name, arguments: { index }, id: `call_${index}` });
const tool = (name: string, more: object = {}) =>
  defineTool({
    name,
    description: name,
    input: z.object({ index: z.number() }),
    run: async ({ index }) => {
      await sleep(100);
      return `${name} ${index}`;
    },
    ...more,
  });

const agent = (name: string, one: ReturnType<typeof tool>, toolCalls: ReturnType<typeof call>[]) =>
  defineAgent({ name, kind: 'tool-calling', model: scripted([{ toolCalls }, 'done']), tools: [one] });

const look = tool('look');
const looks = Array.from({ length: WIDTH }, (_, index) => call('look', index));

export default defineConfig({
  agents: [
    agent('asks', tool('pay', { approval: 'always' }), [call('pay')]),
    agent('wide', look, looks),
    agent('short', look, looks.slice(0, 1)),
  ],
});
