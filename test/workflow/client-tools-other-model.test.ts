import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { beforeAll, expect, test } from 'vitest';
import type { AgentDefinition } from '../../config/define.ts';
import { startGateway } from '../support/gateway-server.ts';
import { useRig } from '../support/rig.ts';
import { modelOf, promptOf, toolCall } from '../support/scripts.ts';

/** Results of a client's tools that come with another `model` than that of their run, as in a handoff of the Agents SDK. */

const pick = { name: 'pick', parameters: { type: 'object', properties: {} } };
const asking = (name: string) =>
  modelOf((step, request) =>
    step === '1' ? { toolCalls: [toolCall('pick', '{}')] } : `${name}: ${promptOf(request)}`,
  );
const plain = { kind: 'tool-calling', clientTools: true } as const;
const agents = ['taker', 'stylist'].map(
  (name) => ({ ...plain, name, model: asking(name) }) satisfies AgentDefinition,
);
const rig = useRig({ agents });
const TOKEN = 'a-token-of-this-test-0123';

let openai: OpenAI;
beforeAll(async () => {
  const gateway = await startGateway(rig.client, {
    tokens: [{ token: TOKEN, name: 'buyer', scopes: ['run', 'read'], may: ['client-tools'] }],
    agents,
  });
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: TOKEN, maxRetries: 0 });
  return () => gateway.stop();
});

const runOf = (id = '') => /^(?:resp_)?([^:]+)/u.exec(id)?.[1] ?? '';
const stateOf = async (id: string) => {
  const { status, intermediateSteps } = await rig.client.get(runOf(id)).describe();
  return [status, intermediateSteps.map(({ observation }) => observation)];
};
const ANSWER = /^stylist: .*Dress me\./su;

test('the model of the request answers, in a run of its own: chat completions', async () => {
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Dress me.' }];
  const ask = async (model: string) => {
    const tools = [{ type: 'function' as const, function: pick }];
    const { choices } = await openai.chat.completions.create({ model, messages, tools });
    return choices[0]?.message;
  };
  const calls: string[] = [];
  for (const model of ['taker', 'stylist']) {
    const message = await ask(model);
    if (message !== undefined) messages.push(message);
    for (const { id } of message?.tool_calls ?? []) {
      calls.push(id);
      messages.push({ role: 'tool', tool_call_id: id, content: 'red' });
    }
  }
  expect(calls).toHaveLength(2);
  expect((await ask('stylist'))?.content).toMatch(ANSWER);
  await expect.poll(() => stateOf(calls[0] ?? '')).toEqual(['cancelled', []]);
  expect(await stateOf(calls[1] ?? '')).toEqual(['completed', ['red']]);
});

test('the model of the request answers, once also where it is sent again: responses', async () => {
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Dress me.' }];
  const tools = [{ type: 'function' as const, strict: false, ...pick }];
  const ask = (model: string, more: object = { input }) =>
    openai.responses.create({ model, tools, ...more, stream: false });
  const resultsOf = ({ output }: OpenAI.Responses.Response) =>
    output.flatMap((item) =>
      item.type === 'function_call'
        ? [{ type: 'function_call_output' as const, call_id: item.call_id, output: 'red' }]
        : [],
    );
  const first = await ask('taker');
  const named = { input: resultsOf(first), previous_response_id: first.id };
  await expect(ask('stylist', named)).rejects.toThrow('send the whole conversation');
  expect(await stateOf(first.id)).toEqual(['waiting', []]);
  input.push(...(first.output as typeof input), ...resultsOf(first));
  const withheld = ask('stylist', { input, context: { user: 'somebody else' } });
  await expect(withheld).rejects.toMatchObject({ status: 403 });
  expect(await stateOf(first.id)).toEqual(['waiting', []]);
  const second = await ask('stylist');
  expect((await ask('stylist')).id).toBe(second.id);
  input.push(...(second.output as typeof input), ...resultsOf(second));
  const third = await ask('stylist');
  expect([third.id, third.output_text]).toEqual([second.id, expect.stringMatching(ANSWER)]);
  await expect.poll(() => stateOf(first.id)).toEqual(['cancelled', []]);
  expect(await stateOf(third.id)).toEqual(['completed', ['red']]);
});
