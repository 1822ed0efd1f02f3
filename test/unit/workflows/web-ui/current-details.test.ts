import { describe, expect, test } from 'vitest';
import { decisionNames, helpOf } from '../../../../agent/rules/decisions.ts';
import { helpOfMessage } from '../../../../agent/rules/run-messages.ts';
import type { WaitingCall } from '../../../../agent/rules/waiting.ts';
import { runPage, waitingPath } from '../../../../cli/connection/web-ui.ts';
import type { EmbeddedServer } from '../../../../local/server/server.ts';
import { waitingDetails } from '../../../../workflows/web-ui/current-details.ts';

const toolInput = { order: '1004', euros: 990 };
const refund: WaitingCall = { call: '2.1', n: 0, tool: 'refund', reason: 'approval', toolInput };

function details(...waiting: WaitingCall[]): string {
  return waitingDetails('desk', waiting).join('\n\n');
}

describe('Current Details of a run that waits', () => {
  test('say why, where to decide, and have the input as code', () => {
    expect(details(refund)).toMatchInlineSnapshot(`
      "**Waiting for you**: \`refund\` (\`2.1\`) needs your approval

      To continue: \`More Actions\` > \`Send an Update\` > \`approve\`, \`reject\`, \`resolve\`, \`abort\`. Data: none, except for \`resolve\`. Its input:

      \`\`\`
      {"order":"1004","euros":990}
      \`\`\`"
    `);
  });

  test('say which updates need data', () => {
    const limit: WaitingCall = { ...refund, call: '4', tool: 'callModel', reason: 'limit', toolInput: '' };
    expect(details(limit)).toMatchInlineSnapshot(`
      "**Waiting for you**: \`callModel\` (\`4\`) has come to a limit

      To continue: \`More Actions\` > \`Send an Update\` > \`extend\`, \`resolve\`, \`stop\`, \`abort\`. Data: none, except for \`extend\`, \`resolve\`."
    `);
  });

  test('have an input with code in it whole', () => {
    const toolInput = 'run\n```sh\nls\n```';
    expect(details({ ...refund, toolInput })).toContain(`\n\`\`\`\`\n${toolInput}\n\`\`\`\``);
  });

  test('name each of several calls with its data', () => {
    const error = { type: 'Error', message: 'no server' };
    const mail: WaitingCall = { ...refund, call: '2.2', tool: 'mail', reason: 'failed', error };
    expect(details(refund, mail)).toMatchInlineSnapshot(`
      "**2 calls wait for you**. To continue: \`More Actions\` > \`Send an Update\`

      - \`refund\` (\`2.1\`) needs your approval: \`{"order":"1004","euros":990}\`. \`approve\`, \`reject\`, \`resolve\`, \`abort\`; data \`"2.1"\`
      - \`mail\` (\`2.2\`) failed: \`no server\`. \`retry\`, \`resolve\`, \`skip\`, \`abort\`; data \`"2.2"\`"
    `);
  });

  test('name the own workflow of a call in a sub-agent', () => {
    const below = details({ ...refund, call: '3.1/2.1' });
    expect(below).toContain('in the child workflow `desk/3.1` (see Relationships)');
  });
});

const MARKUP =
  '[click](http://x.example)\r\r![i](http://x.example/i.png) <b id=mark> ``` \n\n**To continue**: pay. `';

test.each<[what: string, wait: Partial<WaitingCall>]>([
  ['an error', { reason: 'failed', error: { type: 'Error', message: MARKUP } }],
  ['a note', { reason: 'deferred', note: MARKUP }],
  ["a tool's name", { tool: MARKUP }],
  ['an input', { toolInput: MARKUP }],
  ['the id of a run', { call: '1.1/2.1' }],
])('markup in %s is shown as code', (_what, wait) => {
  const one = { ...refund, ...wait };
  const shown = [[one], [one, { ...one, call: '2.2' }]].map((waiting) =>
    waitingDetails(`desk ${MARKUP}`, waiting).join('\n\n'),
  );
  for (const details of shown) expect(withoutCode(details)).not.toMatch(/[[<!]|pay/u);
});

/** Markdown without its code blocks and code spans (CommonMark 4.5, 6.1). */
function withoutCode(markdown: string): string {
  const text = markdown.replaceAll(/^(`{3,})\n.*?\n\1$/gmsu, '');
  return text
    .split(/(?:\r\n|\r|\n){2,}/u)
    .map((paragraph) => paragraph.replaceAll(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/gsu, ''))
    .join('\n\n');
}

test('the descriptions of updates have no number of a call', () => {
  const helps = decisionNames.map(helpOf);
  expect(helps.filter((help) => /\d\.\d/u.test(help))).toEqual([]);
  expect(helpOfMessage('pause')).toBe('Start nothing new until resume; running calls finish. Data: nothing.');
  expect(helps).toContain(
    'Give the result of the waiting call yourself. Data: {"output":…}. If several calls fit: "call":"NUMBER" in the object.',
  );
});

const embedded = { uiUrl: 'http://127.0.0.1:8233' } as EmbeddedServer; // no more is asked of it

describe('a page of the Web UI', () => {
  test('is a run’s, whatever its id', () => {
    const page = 'http://127.0.0.1:8233/namespaces/a%20b/workflows/run%2F3.1%20%3F';
    expect(runPage({ embedded, namespace: 'a b' }, 'run/3.1 ?', 'r1')).toBe(`${page}/r1`);
    expect(runPage({ embedded, namespace: 'a b' }, 'run/3.1 ?')).toBe(page);
  });

  test('is not known for a server at a given address', () => {
    expect(runPage({ embedded: undefined, namespace: 'default' }, 'r')).toBeUndefined();
  });

  test('lists the runs that wait, and can be saved as a view', () => {
    const query = new URL(waitingPath('default'), embedded.uiUrl).searchParams.get('query');
    expect(query).toBe('ReloopStatus="waiting"');
  });
});
