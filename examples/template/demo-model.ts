import { scripted } from 'reloop/testing';

/** Plays the model as long as there is no key. It understands one question: "What do 3 lamps cost?" */
export const demoModel = scripted(({ prompt, step: call }) => {
  const step = call?.split('/').at(-1); // the second agent of a workflow begins with 1/1
  // The question ends the first request of a run; a conversation has earlier ones above it.
  const asked = step === '1' ? prompt.trimEnd().split('\n').at(-1) : prompt;
  const [, count, product] = [...(asked ?? '').matchAll(/What do (\d+) (\w+)s cost/gu)].at(-1) ?? [];
  if (product === undefined) {
    return 'I am a script, and understand "What do 3 lamps cost?" only. Put OPENAI_API_KEY into .env, and a model answers.';
  }
  const [observed] = prompt.match(/\S+\s*$/u) ?? []; // the latest tool's last word
  switch (step) {
    case '1':
      return { toolCalls: [{ name: 'price', arguments: { product } }] };
    case '2':
      return { toolCalls: [{ name: 'calculator', arguments: { input: `${count} * ${observed}` } }] };
    default:
      return `${count} ${product}s cost ${observed} euros.`;
  }
});
