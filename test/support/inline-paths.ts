import { type Model, defineModel, defineTool } from '../../index.ts';
import { act, answer, modelOf, script } from './scripts.ts';

/** Made with the model call, unless it fails or asks for more. */
export const quick = defineTool({
  name: 'quick',
  description: 'takes milliseconds',
  effects: 'none',
  inline: true,
  retry: { maxAttempts: 2, initialInterval: 10 },
  onFailure: 'observe',
  async run(input, { checkpoint }) {
    if (input === 'bad') throw new Error('not good');
    if (input === 'more') await checkpoint('more');
    return `quick ${input.padEnd(input === 'long' ? 2_000 : 0)}`;
  },
});
/** Calls that are made with the model call beside one that is an activity. */
const mixed = defineModel({
  call: (_request, { step }) =>
    Promise.resolve({
      text: step === '1' ? '' : 'done',
      toolCalls: (step === '1' ? ['a', 'long', 'bad'] : []).flatMap((input) =>
        ['quick', 'echo'].map((name) => ({
          id: `${name}-${input}`,
          name,
          arguments: JSON.stringify({ __arg1: input }),
        })),
      ),
      finishReason: 'stop',
      usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
    }),
});

/** Paths of the histories that are recorded, with calls that have no activity of their own. */
export const inlinePaths: { name: string; model: Model; options?: object }[] = [
  {
    name: 'inline',
    model: script(act('quick', 'long'), act('quick', 'bad'), act('quick', 'more'), answer('done')),
  },
  { name: 'inline-mixed', model: mixed, options: { kind: 'tool-calling' } },
  {
    name: 'inline-continued',
    model: modelOf((step) => (step === '70' ? answer('done') : act('quick', step))),
    options: { maxIterations: null },
  },
];
