import { describe, expect, test } from 'vitest';
import { createAuthorize } from '../../../../activities/run/authorize.ts';
import { chooseCall } from '../../../../agent/rules/gate.ts';
import { readRunMessage } from '../../../../agent/rules/run-messages.ts';
import { createLoadedConfig } from '../../../../config/load/loaded-config.ts';
import { scripted } from '../../../../adapters/models/scripted/scripted.ts';
import { defineTool } from '../../../../adapters/tools/tool.ts';

const call = {
  id: '1.1',
  waitNumber: 0,
  state: { kind: 'tool', waiting: 'approval' } as const,
  inputSchema: null,
  waitingWithin: [],
};
const approvers = ['alice'];

describe('the sender of a decision', () => {
  test('is part of the decision, and the credential is not', () => {
    const sent = { call: '1.1', by: 'alice', credential: 'secret' };
    expect(chooseCall([call], 'approve', sent).decision).toEqual({ type: 'approve', by: 'alice' });
  });

  test.each([
    ['nobody', {}, 'The decision has no name.'],
    ['another person', { by: 'bob' }, 'bob is not one of them.'],
    ['a name that is no text', { by: 7 }, 'approve: by is a text of 1 to 200 characters.'],
    ['an empty name', { by: ' ' }, 'approve: by is a text of 1 to 200 characters.'],
    [
      'a long credential',
      { by: 'alice', credential: 'x'.repeat(8_001) },
      'credential is a text of 1 to 8000',
    ],
  ])('who is %s is refused where approvers are named', (_, sent, refusal) => {
    expect(() => chooseCall([{ ...call, approvers }], 'approve', sent)).toThrow(refusal);
  });

  test('who is an approver may decide, and everybody may at another wait, but for another input', () => {
    expect(chooseCall([{ ...call, approvers }], 'approve', { by: 'alice' }).decision).toMatchObject({
      by: 'alice',
    });
    const failed = { ...call, approvers, state: { kind: 'tool', waiting: 'failed' } as const };
    expect(chooseCall([failed], 'retry', {}).decision).toEqual({ type: 'retry' });
    const other = { input: { amount: 9000 }, by: 'bob' };
    expect(() => chooseCall([failed], 'retry', other)).toThrow('bob is not one of them.');
    expect(chooseCall([failed], 'retry', { ...other, by: 'alice' }).decision).toMatchObject({
      type: 'retry',
    });
  });
});

test.each([
  ['say', { message: 'hi', by: 'ann' }, { type: 'say', text: 'hi', by: 'ann' }],
  ['pause', { by: 'ann', credential: 'x' }, { type: 'pause', by: 'ann' }],
  ['extend', { iterations: 2, by: 'ann' }, { type: 'extend', iterations: 2, by: 'ann' }],
  ['rewind', { step: 2, by: 'ann' }, { type: 'rewind', step: 2, by: 'ann' }],
] as const)('the message %s has its sender', (name, sent, message) => {
  expect(readRunMessage(name, sent)).toEqual(message);
});

describe('authorize', () => {
  const word = { type: 'approve', agent: 'a', runId: 'r', by: 'ann' };

  test('of a config that a deploy has taken away refuses every word', async () => {
    expect(await createAuthorize({ authorize: undefined })(word)).toContain('Add it again.');
  });

  test('is recorded in the manifest if it is given, and only then', () => {
    const agents = [{ name: 'a', model: scripted([]) }];
    const manifestOf = (more: object) => createLoadedConfig({ agents, ...more }).manifest('a', {});
    expect(manifestOf({ authorize: () => true })).toMatchObject({ authorizes: true });
    expect(manifestOf({})).not.toHaveProperty('authorizes');
  });

  test('is needed where a tool names approvers', () => {
    const pay = defineTool({ name: 'pay', description: 'pays', approval: { by: ['ann'] }, run: () => 'ok' });
    const config = { agents: [{ name: 'a', model: scripted([]), tools: [pay] }] };
    expect(() => createLoadedConfig(config)).toThrow('Tool "pay": approval names people in `by`');
    const loaded = createLoadedConfig({ ...config, authorize: () => true });
    expect(loaded.manifest('a', {})?.tools[0]).toMatchObject({ approval: 'always', approvers: ['ann'] });
  });
});
