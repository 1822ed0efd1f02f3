import { Message } from '@a2a-js/sdk';
import { describe, expect, test } from 'vitest';
import type { WaitingCall } from '../../../../agent/rules/waiting.ts';
import { agentCard } from '../../../../gateway/a2a/agent-card.ts';
import { readQuestion, readReply } from '../../../../gateway/a2a/read-message.ts';

const partsOf = (...parts: object[]) => Message.fromJSON({ messageId: 'm', parts }).parts;
const PIXEL = Buffer.from('pixel');

describe('a question', () => {
  test.each([
    [[{ text: 'How much?' }], 'How much?'],
    [
      [{ text: 'How much?' }, { data: { chairs: 2 } }],
      [
        { type: 'text', text: 'How much?' },
        { type: 'text', text: '{"chairs":2}' },
      ],
    ],
    [
      [
        { raw: PIXEL.toString('base64'), mediaType: 'image/png' },
        { url: 'https://shop.example.com/chair.png', mediaType: 'image/png' },
      ],
      [
        { type: 'image', image: PIXEL, mediaType: 'image/png' },
        { type: 'image', image: 'https://shop.example.com/chair.png', mediaType: 'image/png' },
      ],
    ],
  ])('of the parts %j is %j', (parts, input) => {
    expect(readQuestion(partsOf(...parts))).toEqual(input);
  });

  test.each([
    [
      { url: 'https://shop.example.com/list.pdf', mediaType: 'application/pdf' },
      'Send any other file itself, as raw',
    ],
    [{}, 'has no content'],
  ])('with the part %j is refused', (part, text) => {
    expect(() => readQuestion(partsOf(part))).toThrow(text);
  });
});

const wait = (reason: WaitingCall['reason'], call = '1.1'): WaitingCall => ({
  call,
  n: 0,
  tool: 'pay',
  toolInput: 'bill',
  reason,
});

describe('a reply', () => {
  test.each([
    ['approval', 'approve', { type: 'approve' }],
    ['approval', 'Approve.', { type: 'approve' }],
    ['approval', 'reject: too dear', { type: 'reject', reason: 'too dear' }],
    ['failed', 'retry', { type: 'retry' }],
    ['failed', 'resolve 990', { type: 'resolve', output: '990' }],
    ['answer', 'skip the red one', { type: 'resolve', output: 'skip the red one' }],
    ['deferred', 'skip the red one', { type: 'resolve', output: 'skip the red one' }],
  ] as const)('to a call that waits for %s decides by the text %j', (reason, text, decision) => {
    expect(readReply(partsOf({ text }), [wait(reason)])).toMatchObject({
      type: 'decide',
      decisions: [{ call: '1.1', wait: 0, decision }],
    });
  });

  test('as data is a decision in full', () => {
    const data = { type: 'approve', call: '1.1', wait: 0, input: { price: 5 }, by: 'somebody else' };
    expect(readReply(partsOf({ text: 'Yes.' }, { data }), [wait('approval')])).toEqual({
      type: 'decide',
      decisions: [{ call: '1.1', wait: 0, decision: { type: 'approve', input: { price: 5 } } }],
    });
  });

  test('to a task that does not ask is told to the model', () => {
    expect(readReply(partsOf({ text: 'Hurry up.' }), [])).toEqual({ type: 'say', text: 'Hurry up.' });
  });

  test.each([
    [
      'words that may mean something else',
      [{ text: 'approve nothing until Friday' }],
      'Reply with one of: approve',
    ],
    ['another decision', [{ text: 'retry' }], 'Reply with one of: approve'],
    ['a resolve without a result', [{ text: 'resolve' }], 'Write the result'],
    ['data that is no decision', [{ data: { approved: true } }], 'is a decision, such as'],
    ['a file', [{ raw: 'aGk=', mediaType: 'image/png' }], 'are texts, or data'],
    ['no text', [], 'has no text'],
  ])('of %s is refused', (_what, parts, text) => {
    expect(() => readReply(partsOf(...parts), [wait('approval')])).toThrow(text);
  });

  test('as a text is refused where several calls wait', () => {
    const both = [wait('approval'), wait('approval', '1.2')];
    expect(() => readReply(partsOf({ text: 'approve' }), both)).toThrow('Several calls wait (1.1, 1.2)');
  });
});

test('a card has the form of the version that the client speaks', () => {
  const agent = { name: 'clerk', description: 'Pays bills.' };
  const url = 'https://shop.example.com/a2a/clerk';
  const card = agentCard(agent, { url, version: '1.0', hasToken: true });
  expect(card).toMatchInlineSnapshot(`
    {
      "capabilities": {
        "pushNotifications": false,
        "streaming": true,
      },
      "defaultInputModes": [
        "text/plain",
        "application/json",
        "image/png",
        "image/jpeg",
        "image/gif",
        "image/webp",
        "application/pdf",
        "audio/wav",
        "audio/mpeg",
        "text/csv",
        "text/markdown",
      ],
      "defaultOutputModes": [
        "text/plain",
        "application/json",
      ],
      "description": "Pays bills.",
      "name": "clerk",
      "securityRequirements": [
        {
          "schemes": {
            "bearer": {
              "list": [],
            },
          },
        },
      ],
      "securitySchemes": {
        "bearer": {
          "httpAuthSecurityScheme": {
            "scheme": "Bearer",
          },
        },
      },
      "skills": [
        {
          "description": "Pays bills.",
          "id": "clerk",
          "name": "clerk",
          "tags": [],
        },
      ],
      "supportedInterfaces": [
        {
          "protocolBinding": "JSONRPC",
          "protocolVersion": "1.0",
          "url": "https://shop.example.com/a2a/clerk",
        },
        {
          "protocolBinding": "JSONRPC",
          "protocolVersion": "0.3",
          "url": "https://shop.example.com/a2a/clerk",
        },
      ],
      "version": "1",
    }
  `);
  expect(agentCard(agent, { url, version: '0.3', hasToken: true })).toMatchObject({
    ...agentCard(agent, { url, version: '1.0', hasToken: false }),
    url,
    protocolVersion: '0.3.0',
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
  });
});
