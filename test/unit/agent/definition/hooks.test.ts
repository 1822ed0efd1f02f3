import { describe, expect, test } from 'vitest';
import { z } from 'zod/v4';
import { changeOf } from '../../../../activities/hooks/change.ts';
import { type CallHooks, callHooks, runHook } from '../../../../activities/hooks/run-hook.ts';
import { betweenHooks } from '../../../../activities/model/model-hooks.ts';
import { afterTool, beforeTools } from '../../../../activities/tool/tool-hooks.ts';
import type { Attempt } from '../../../../activities/attempt/attempt.ts';
import type { PlannedAction } from '../../../../agent/calls/calls.ts';
import type { Hooks } from '../../../../agent/definition/hooks.ts';
import { checkConfig } from '../../../../config/check.ts';
import { createLoadedConfig } from '../../../../config/load/loaded-config.ts';
import { scripted } from '../../../../adapters/models/scripted/scripted.ts';
import { defineTool } from '../../../../adapters/tools/tool.ts';
import { sampleManifest } from '../../../support/manifest.ts';

const price = defineTool({
  name: 'price',
  description: 'costs',
  input: z.object({ product: z.string() }),
  run: () => 45,
});
const tools = new Map([['price', price]]);

const callOf = (hooks: Hooks, maxAttempts = 1): CallHooks => ({
  hooks,
  retry: { maxAttempts, initialMs: 1, backoff: 1, maximumMs: 1 },
  context: {
    agent: 'a',
    runId: 'r',
    callId: '3',
    context: {},
    tenant: 'acme',
    signal: new AbortController().signal,
  },
});

const textRequest = {
  model: 'm',
  prompt: { type: 'text' as const, text: 'my card is 4111' },
  stop: [],
  params: { api: 'chat' as const, stream: true, requestTimeoutMs: 1000 },
};
const chatRequest = {
  ...textRequest,
  prompt: {
    type: 'messages' as const,
    messages: [
      { role: 'system' as const, content: 'help' },
      { role: 'user' as const, content: 'my card is 4111' },
    ],
    tools: [],
  },
};
const replyOf = (text: string) => ({
  reply: {
    text,
    toolCalls: [],
    finishReason: 'stop',
    reasoning: 'thought',
    providerData: { signature: 's' },
  },
});

describe('the record of a change', () => {
  const part = { hook: 'afterTool', part: 'observation' } as const;

  test.each([
    ['short texts as they are', 'a cat', 'a dog', { before: 'a cat', after: 'a dog' }],
    ['values as JSON', { a: 1 }, { a: 2 }, { before: '{"a":1}', after: '{"a":2}' }],
    [
      'long texts from shortly before their difference',
      `${'x'.repeat(1000)}cat`,
      `${'x'.repeat(1000)}dog${'y'.repeat(1000)}`,
      { before: `…${'x'.repeat(40)}cat`, after: `…${'x'.repeat(40)}dog${'y'.repeat(457)}…` },
    ],
  ])('has %s', (_title, before, after, texts) => {
    expect(changeOf(part, before, after, false)).toEqual([{ ...part, ...texts }]);
  });

  test('has the length alone of a text that is to be hidden', () => {
    expect(changeOf(part, 'secret', '***', true)).toEqual([
      { ...part, before: '(6 characters)', after: '***' },
    ]);
  });

  test('is not there where nothing differs', () => {
    expect(changeOf(part, { a: 1 }, { a: 1 }, false)).toEqual([]);
  });
});

describe('a hook', () => {
  test('that fails is called again, as often as the call has attempts', async () => {
    let times = 0;
    const ask = () => {
      times++;
      if (times < 3) throw new Error('busy');
      return { observation: 'ok' };
    };
    expect(await runHook(callOf({}, 3), 'afterTool', ask)).toEqual({ observation: 'ok' });
    times = 0;
    await expect(runHook(callOf({}, 2), 'afterTool', ask)).rejects.toMatchObject({
      name: 'HookFailed',
      message: 'The hook afterTool failed, so the call did not pass: busy',
      retryable: false,
      mayPass: true,
    });
    expect(times).toBe(2);
  });

  test.each([
    ['beforeModel', { blocked: 'no' }],
    ['beforeModel', { messages: [{ role: 'robot', content: 'x' }] }],
    ['afterModel', 'a text'],
    ['beforeTool', {}],
    ['beforeTool', { input: 1, extra: true }],
    ['afterTool', null],
  ] as const)('%s that returns %j fails at once', async (name, answer) => {
    await expect(runHook(callOf({}, 5), name, () => answer)).rejects.toThrow(
      `The hook ${name} failed, so the call did not pass: it has to return {`,
    );
  });

  test('that a config does not have any more makes no call for a run that began with it', () => {
    const manifest = sampleManifest({ hooks: true });
    const attempt = { context: {} } as Attempt; // all that is read of it
    expect(() => callHooks({ hooks: undefined }, manifest, attempt, manifest.modelRetry)).toThrow(
      'which the config of this worker does not have. Add them again.',
    );
  });

  test('is recorded in the manifest if it is given, and only then', () => {
    const agents = [{ name: 'a', model: scripted([]) }];
    const manifestOf = (more: object) => createLoadedConfig({ agents, ...more }).manifest('a', {});
    expect(manifestOf({ hooks: {} })).toMatchObject({ hooks: true });
    expect(manifestOf({})).not.toHaveProperty('hooks');
  });

  test('of another name is refused when the config is loaded', () => {
    const config = { agents: [{ name: 'a', model: scripted([]) }], hooks: { beforeTools: () => undefined } };
    expect(() => checkConfig(config, 'config')).toThrow('beforeTools');
  });
});

describe('the hooks of a model call', () => {
  test('that answer nothing leave request and reply as they are', async () => {
    const hooks = callOf({ beforeModel: () => undefined, afterModel: async () => undefined });
    const answer = replyOf('fine');
    expect(
      await betweenHooks(hooks, chatRequest, async (sent) => {
        expect(sent).toBe(chatRequest);
        return answer;
      }),
    ).toEqual({ ...answer, changes: [] });
  });

  test('change a message, and the reply without what belonged to the reply of before', async () => {
    const hooks = callOf({
      beforeModel({ messages }) {
        for (const message of messages) if (message.role === 'user') message.content = 'my card is ****';
        return { messages };
      },
      afterModel: ({ text }) => ({ text: text.toUpperCase() }),
    });
    const sent: unknown[] = [];
    const { reply, changes } = await betweenHooks(hooks, chatRequest, async ({ prompt }) => {
      sent.push(prompt);
      return replyOf('fine');
    });
    expect(sent).toEqual([
      {
        type: 'messages',
        messages: [chatRequest.prompt.messages[0], { role: 'user', content: 'my card is ****' }],
      },
    ]);
    expect(reply).toMatchObject({ text: 'FINE', reasoning: undefined, providerData: undefined });
    expect(changes?.map(({ hook, part, after }) => [hook, part, after])).toEqual([
      ['beforeModel', 'messages[1]', '{"role":"user","content":"my card is ****"}'],
      ['afterModel', 'text', 'FINE'],
    ]);
  });

  test('see a prompt of one text as one message, and have to return one', async () => {
    const seen: unknown[] = [];
    const hooks = callOf({
      beforeModel({ messages }) {
        seen.push(messages);
        return { messages: [{ role: 'user', content: 'hidden' }] };
      },
    });
    await betweenHooks(hooks, textRequest, async ({ prompt }) => {
      expect(prompt).toEqual({ type: 'text', text: 'hidden' });
      return replyOf('fine');
    });
    expect(seen).toEqual([[{ role: 'user', content: 'my card is 4111' }]]);
    const two = callOf({ beforeModel: ({ messages }) => ({ messages: [...messages, ...messages] }) });
    await expect(betweenHooks(two, textRequest, async () => replyOf('fine'))).rejects.toThrow(
      'Return one message of the user with a text.',
    );
  });

  test('block the request before the model is asked, and the reply after it', async () => {
    const never = () => Promise.reject(new Error('asked'));
    await expect(
      betweenHooks(callOf({ beforeModel: () => ({ block: 'not today' }) }), textRequest, never),
    ).rejects.toThrow('The hook beforeModel blocked the request: not today');
    await expect(
      betweenHooks(callOf({ afterModel: () => ({ block: 'rude' }) }), textRequest, async () => replyOf('!')),
    ).rejects.toMatchObject({ name: 'HookBlocked', retryable: false });
  });
});

describe('beforeTool', () => {
  const planned = (...actions: PlannedAction[]) => ({ type: 'act' as const, actions });
  const lamp = { tool: 'price', toolInput: '{"product":"lamp"}' };

  test('gets the input as the tool reads it, and replaces it', async () => {
    const seen: unknown[] = [];
    const hooks = callOf({
      beforeTool(action, { callId, tenant }) {
        seen.push(action, callId, tenant);
        return { input: { product: 'sofa' } };
      },
    });
    const { decision, changes } = await beforeTools(hooks, tools, planned(lamp));
    expect(seen).toEqual([{ tool: 'price', input: { product: 'lamp' } }, '3.1', 'acme']);
    expect(decision).toEqual(planned({ tool: 'price', toolInput: { product: 'sofa' } }));
    expect(changes).toEqual([
      {
        hook: 'beforeTool',
        call: '3.1',
        part: 'input',
        before: '{"product":"lamp"}',
        after: '{"product":"sofa"}',
      },
    ]);
  });

  test('leaves the input as the model wrote it if it returns the same', async () => {
    const hooks = callOf({ beforeTool: ({ input }) => ({ input }) });
    expect(await beforeTools(hooks, tools, planned(lamp))).toEqual({ decision: planned(lamp), changes: [] });
  });

  test('refuses a call, whose observation says why', async () => {
    const hooks = callOf({ beforeTool: () => ({ refuse: 'too dear' }) });
    const { decision, changes } = await beforeTools(hooks, tools, planned(lamp));
    expect(decision).toEqual(planned({ ...lamp, observation: 'too dear' }));
    expect(changes).toMatchObject([{ call: '3.1', part: 'refusal', after: 'too dear' }]);
  });

  test('is not asked about a call that runs nothing', async () => {
    const hooks = callOf({
      beforeTool: () => {
        throw new Error('asked');
      },
    });
    const nothing = planned(
      { tool: 'nope', toolInput: 1, observation: 'no tool' },
      { ...lamp, toolInput: 7 },
    );
    expect((await beforeTools(hooks, tools, nothing)).decision).toEqual(nothing);
  });

  test('fails with an input that the tool does not take', async () => {
    const hooks = callOf({ beforeTool: () => ({ input: { prduct: 'sofa' } }) });
    await expect(beforeTools(hooks, tools, planned(lamp))).rejects.toThrow('its input does not fit');
  });
});

describe('afterTool', () => {
  const after = (hooks: Hooks, result: Parameters<typeof afterTool>[3]) =>
    afterTool(callOf(hooks), 'price', 'lamp', result, 10);
  const mask: Hooks = { afterTool: () => ({ observation: '***', hideBefore: true }) };

  test('changes an observation, also that of an error, and cuts a long one', async () => {
    const changes = [{ hook: 'afterTool', part: 'observation', before: '(6 characters)', after: '***' }];
    expect(await after(mask, { output: 'secret' })).toEqual({ output: '***', changes });
    expect(await after(mask, { output: 'secret', kind: 'error' })).toEqual({
      output: '***',
      kind: 'error',
      changes,
    });
    const { output } = await after({ afterTool: () => ({ observation: 'a'.repeat(99) }) }, { output: 'b' });
    expect(output).toContain('a'.repeat(10));
    expect(output).not.toContain('a'.repeat(11));
  });

  test.each([
    { output: 'a note', kind: 'deferred' as const },
    { output: 'no such field', kind: 'invalid' as const },
    { output: null, reconciled: 'notDone' as const },
  ])('is not asked about %j, which is no observation', async (result) => {
    expect(await after(mask, result)).toBe(result);
  });
});
