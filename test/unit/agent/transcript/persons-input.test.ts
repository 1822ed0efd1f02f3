import { expect, test } from 'vitest';
import { builtInKinds } from '../../../../agent/kinds/kinds.ts';
import { hasPersonsInput, newCall } from '../../../../agent/run/call-state.ts';
import type { Entry } from '../../../../agent/transcript/entries.ts';
import { conversation } from '../../../../agent/transcript/prompt-context.ts';
import { renderRequest } from '../../../../agent/transcript/request.ts';
import { manifestOfKind } from '../../../support/manifest.ts';

test.each(builtInKinds)('the kind $name shows the input that a person gave, before the result', (kind) => {
  const shown = (more: object) => {
    const toolCalls = [{ id: 'c1', name: 'add', arguments: '{"a":9000,"b":1}' }];
    const entries: Entry[] = [
      { type: 'agent', manifest: manifestOfKind(kind) },
      { type: 'question', input: 'Add.', chatHistory: [] },
      { type: 'reply', call: '1', text: '', toolCalls },
      {
        type: 'step',
        call: '1.1',
        action: { tool: 'add', toolInput: { a: 400, b: 1 }, log: 'add 9000' },
        toolCallId: 'c1',
        observation: 'Done.',
        ...more,
      },
    ];
    return JSON.stringify(renderRequest(kind, conversation(entries)).prompt);
  };
  const told = JSON.stringify('A person changed the input to {"a":400,"b":1}.\nDone.').slice(1, -1);
  expect(shown({ personsInput: true })).toContain(told);
  expect(shown({})).not.toContain('A person');
});

test('a call has the input of a person only if it is another one than the model gave', () => {
  const planned = { tool: 'add', toolInput: { a: 1, b: 2 } };
  const call = newCall({ id: '1.1', kind: 'tool', tool: undefined, planned, log: '', firstN: 0 });
  const withInput = (toolInput: object) => ({
    ...call,
    byPerson: true,
    action: { ...call.action, toolInput: { ...toolInput } },
  });
  expect(hasPersonsInput(call)).toBe(false);
  expect(hasPersonsInput(withInput({ b: 2, a: 1 }))).toBe(false);
  expect(hasPersonsInput(withInput({ a: 1, b: 3 }))).toBe(true);
  // A hook changes the plan itself, and may have put a secret in: the model is not told.
  expect(hasPersonsInput({ ...withInput({ a: 1 }), byPerson: false })).toBe(false);
  expect(hasPersonsInput({ ...call, planned: { ...planned, personsInput: true } })).toBe(true);
});
