import { describe, expect, test } from 'vitest';
import type { ModelPrompt } from '../../agent/kinds/kind.ts';
import type { ScriptedReply } from '../../testing.ts';
import { failureOf, modelRequest, scriptedOpenAI } from '../support/model-calls.ts';

describe('a refused parameter', () => {
  const refused: ScriptedReply[] = [
    {
      status: 400,
      error: {
        message: "Unsupported parameter: 'stop' is not supported with this model.",
        param: 'stop',
        code: 'unsupported_parameter',
      },
    },
    {
      status: 400,
      error: {
        message: "Unsupported value: 'temperature' does not support 0 with this model.",
        param: 'temperature',
        code: 'unsupported_value',
      },
    },
  ];

  test('is dropped with one warning, tried again in the same call, and left out of later calls', async () => {
    const { server, ask } = await scriptedOpenAI([...refused, 'one', 'two']);
    const request = modelRequest({ temperature: 0, topP: 0.5 }, { stop: ['\nObservation:'] });
    expect(await ask(request)).toMatchObject({
      text: 'one',
      warnings: [expect.stringContaining('"stop"'), expect.stringContaining('"temperature"')],
    });
    const second = await ask(request);
    expect(second).toMatchObject({ text: 'two' });
    expect(second.warnings).toBeUndefined();
    expect(server.requests.map(({ body }) => ['stop' in body, 'temperature' in body, body['top_p']])).toEqual(
      [
        [true, true, 0.5],
        [false, true, 0.5],
        [false, false, 0.5],
        [false, false, 0.5],
      ],
    );
  });

  test('of one model is still sent to another', async () => {
    const { server, ask } = await scriptedOpenAI([refused[0] ?? '', 'one', 'two']);
    await ask(modelRequest({}, { stop: ['x'] }));
    await ask(modelRequest({}, { stop: ['x'], model: 'other-model' }));
    expect(server.requests.map(({ body }) => body['stop'])).toEqual([['x'], undefined, ['x']]);
  });

  test('may be the word that tools are not to be called', async () => {
    const error = {
      message: 'Unknown parameter: tool_choice',
      param: 'tool_choice',
      code: 'unknown_parameter',
    };
    const { server, ask } = await scriptedOpenAI([{ status: 400, error }, 'hi']);
    const tools = [{ name: 'echo', description: '', parameters: {} }];
    const prompt: ModelPrompt = { type: 'messages', messages: [], tools, toolChoice: 'none' };
    expect(await ask(modelRequest({}, { prompt }))).toMatchObject({ text: 'hi' });
    expect(server.requests.map(({ body }) => body['tool_choice'])).toEqual(['none', undefined]);
  });

  test('max_tokens is sent as max_completion_tokens', async () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.";
    const error = { message, param: 'max_tokens', code: 'unsupported_parameter' };
    const { server, ask } = await scriptedOpenAI([{ status: 400, error }, 'hi']);
    await ask(modelRequest({ maxTokens: 50 }));
    expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 50 });
    expect(server.requests[1]?.body).not.toHaveProperty('max_tokens');
  });

  test.each([
    { message: 'Unrecognized request argument supplied: stream_options', dropped: 'stream_options' },
    { message: "property 'logit_bias' is unsupported", dropped: 'logit_bias' },
    { message: 'Model grok does not support parameter presencePenalty.', dropped: 'presence_penalty' },
    { message: 'Argument not supported on this model: frequencyPenalty', dropped: 'frequency_penalty' },
    { message: "[{'loc': ['body', 'top_p'], 'msg': 'Extra inputs are not permitted'}]", dropped: 'top_p' },
    { message: '`temperature` is deprecated for this model.', dropped: 'temperature' },
  ])('is found in "$message"', async ({ message, dropped }) => {
    const { server, ask } = await scriptedOpenAI([{ status: 400, error: { message } }, 'hi']);
    const params = { temperature: 0, topP: 1, frequencyPenalty: 1, presencePenalty: 1, logitBias: {} };
    const { warnings } = await ask(modelRequest({ stream: true, ...params }));
    expect(warnings).toEqual([expect.stringContaining(`"${dropped}"`)]);
    const [first, second] = server.requests.map(({ body }) => Object.keys(body));
    expect(second).toEqual(first?.filter((name) => name !== dropped));
  });

  test('stream is left out, and the answer comes in one piece', async () => {
    const error = { message: 'Verify to stream this model.', param: 'stream', code: 'unsupported_value' };
    const { server, ask } = await scriptedOpenAI([{ status: 400, error }, 'whole']);
    expect(await ask(modelRequest({ stream: true }))).toMatchObject({
      text: 'whole',
      warnings: [expect.stringContaining('"stream"')],
    });
    expect(Object.keys(server.requests[1]?.body ?? {})).toEqual(['model', 'messages']);
  });

  test.each([
    {
      what: 'a value out of range',
      error: { message: 'temperature must be at most 2', param: 'temperature' },
    },
    {
      what: 'a field that the agent set itself',
      error: { message: "Unsupported parameter: 'seed'", param: 'seed' },
    },
    { what: 'a field that was not sent', error: { message: "Unsupported parameter: 'stop'", param: 'stop' } },
  ])('is told from $what, which fails at once', async ({ error }) => {
    const { server, ask } = await scriptedOpenAI([{ status: 400, error }]);
    const failure = await failureOf(ask(modelRequest({ temperature: 3, extra: { seed: 1 } })));
    expect(failure.type).toBe('ModelBadRequest');
    expect(server.requests).toHaveLength(1);
  });

  test('ends the call when the model goes on refusing: no endless round', async () => {
    const { server, ask } = await scriptedOpenAI(({ body }) => {
      const param = ['temperature', 'max_tokens', 'max_completion_tokens', 'stop'].find(
        (name) => name in body,
      );
      const message = `Unsupported parameter: '${param}'`;
      return { status: 400, error: { message, code: 'unsupported_parameter', ...(param ? { param } : {}) } };
    });
    const request = modelRequest({ temperature: 0, maxTokens: 5 }, { stop: ['x'] });
    expect((await failureOf(ask(request))).type).toBe('ModelBadRequest');
    expect(server.requests).toHaveLength(5);
  });
});
