import { z } from 'zod';
import type { Tool } from '../../adapters/tools/tool.ts';
import type { ModelReply } from '../../index.ts';
import { type AgentDefinition, defineAgent, defineModel, defineTool } from '../../index.ts';

/** An agent's prompts and schemas may take 256 KB, which is 780 tools of this size. */
export const MOST_TOOLS = 500;

/** Agents of the measurements, with models that need no server. */
export function agents(sizes: readonly number[]): AgentDefinition[] {
  return [
    defineAgent({ name: 'short', model: saying('Done.'), tools: [look] }),
    defineAgent({ name: 'asks', model: calling(['pay'], 1), tools: [pay] }),
    ...sizes.flatMap((size) => [
      defineAgent({
        name: `steps-${size}`,
        model: calling(['look'], size),
        tools: [look],
        maxIterations: null,
      }),
      defineAgent({ name: `wide-${size}`, model: calling(Array<string>(size).fill('pay'), 1), tools: [pay] }),
      ...(size <= MOST_TOOLS ? [manyTools(size)] : []),
    ]),
  ];
}

export const look = defineTool({
  name: 'look',
  description: 'Looks at what is there.',
  input: z.object({ index: z.number() }),
  effects: 'none',
  run: () => 'x'.repeat(500),
});

/** Different tools of a config have different names: agents share these. */
const places = new Map<number, Tool>();

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ index: z.number() }),
  approval: 'always',
  run: () => 'paid',
});

/** Five steps of an agent that has so many tools. */
function manyTools(size: number): AgentDefinition {
  const tools = Array.from({ length: size }, (_, n) => place(n));
  return defineAgent({ name: `tools-${size}`, model: calling(['look_0'], 5), tools });
}

function place(n: number): Tool {
  const known = places.get(n);
  if (known !== undefined) return known;
  const tool = defineTool({
    name: `look_${n}`,
    description: `Looks into system ${n}.`,
    input: z.object({ index: z.number() }),
    effects: 'none',
    run: () => 'seen',
  });
  places.set(n, tool);
  return tool;
}

export const saying = (text: string) => defineModel({ call: async () => reply(text, []) });

/** Makes these calls in each of so many steps, then answers. */
function calling(names: readonly string[], steps: number) {
  return defineModel({
    call: async (_request, { step }) =>
      Number(step) > steps
        ? reply('Done.', [])
        : reply(
            '',
            names.map((name, index) => ({
              id: `call_${step}_${index}`,
              name,
              arguments: JSON.stringify({ index }),
            })),
          ),
  });
}

function reply(text: string, toolCalls: ModelReply['toolCalls']): ModelReply {
  const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };
  return { text, toolCalls, finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop', usage };
}
