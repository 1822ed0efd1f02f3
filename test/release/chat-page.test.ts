import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createGateway } from '../../gateway/gateway.ts';
import { human } from '../../adapters/tools/human.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { chromiumTitle, hasChromium, startChromium } from '../support/chromium.ts';
import { createGate } from '../support/gate.ts';
import { type GatewayServer, startGateway } from '../support/gateway-server.ts';
import { useRig } from '../support/rig.ts';
import { inHalves, modelOf, promptOf, toolCall } from '../support/scripts.ts';

/** The chat page in a browser. */
const EVIL = `<img src=x onerror="document.title='run'"><b id=mark>`;
const transfer = defineTool({
  name: 'transfer',
  description: 'transfers money',
  approval: 'always',
  run: (input) => `sent ${input} ${EVIL}`,
});
const gate = createGate();
const slow = inHalves(gate);
const plain = { kind: 'tool-calling' } as const;
const ask = human();
const agents = [
  {
    ...plain,
    name: 'echo',
    description: 'says it again',
    model: modelOf(
      (_, request) => `It is said ${EVIL}${promptOf(request).includes('And again') ? 'once more' : ''}`,
    ),
  },
  {
    ...plain,
    name: 'banker',
    model: modelOf((step) => (step === '1' ? { toolCalls: [toolCall('transfer')] } : 'All is paid.')),
    tools: [transfer],
  },
  { ...plain, name: 'slow', model: slow },
  {
    ...plain,
    name: 'curious',
    model: modelOf((step) =>
      step === '1'
        ? { toolCalls: [{ id: 'a', name: ask.name, arguments: '{"question":"Which colour?"}' }] }
        : 'Thank you.',
    ),
    tools: [ask],
  },
];
const rig = useRig({ agents });

const tokens = [
  { token: 'token-of-the-chief', name: 'chief', tenant: 'chat', scopes: ['admin' as const] },
  {
    token: 'token-of-a-customer',
    name: 'customer',
    tenant: 'chat',
    scopes: ['run' as const, 'read' as const],
  },
];
let browser: Browser;
let server: GatewayServer;
beforeAll(async () => {
  if (!hasChromium) return;
  browser = await startChromium();
  server = await startGateway(rig.client, { tokens, agents, chat: true });
});
afterAll(async () => {
  await browser?.close();
  server?.stop();
});

async function open(
  path: string,
  token = 'token-of-the-chief',
  width = 1280,
  colorScheme: 'light' | 'dark' = 'light',
) {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
  const page = await context.newPage();
  const said: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && said.push(message.text())));
  page.on('pageerror', (error) => said.push(error.message));
  await page.goto(`${server.url}${path}`);
  await page.getByLabel('Token').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1 }).getByText('Sign in').waitFor({ state: 'detached' });
  said.length = 0; // the first request has no token, and the browser says so
  return { page, said };
}

async function say(page: Page, text: string) {
  await page.getByPlaceholder('Ask something').fill(text);
  await page.keyboard.press('Enter');
}

async function runThatWaits(agent: string): Promise<string> {
  const find = async () => {
    for await (const run of rig.client.list({ status: 'waiting', agent, idPrefix: 'chat.' })) return run.id;
    return undefined;
  };
  await expect.poll(find, { timeout: 20_000 }).toBeDefined();
  return String(await find());
}

test('the page is there only where the options say so', async () => {
  const statusOf = async (options: object, path: string) =>
    (await createGateway(rig.client, { tokens, ...options }).fetch(new Request(`http://gateway${path}`)))
      .status;
  expect(await statusOf({}, '/chat')).not.toBe(200);
  expect(await statusOf({ chat: true }, '/chat')).toBe(200);
  expect(await statusOf({ chat: true, basePath: '/api' }, '/api/chat/echo')).toBe(200);
});

describe.skipIf(!hasChromium)(`the chat page${chromiumTitle}`, () => {
  test('lists the agents, answers, and shows the conversation again after a reload', async () => {
    const { page, said } = await open('/chat');
    await page.getByRole('link', { name: 'echo' }).click();
    await say(page, 'Hello');
    await page.getByText(`It is said ${EVIL}`).waitFor();
    await page.reload();
    await page.getByText(`It is said ${EVIL}`).waitFor();
    await say(page, 'And again');
    await page.getByText('once more').waitFor();
    expect(await page.locator('article').count()).toBe(4);
    expect(await page.locator('#mark, article img').count()).toBe(0);
    expect([await page.title(), said]).toEqual(['echo · Reloop', []]);
  });

  test('shows text while it is written, stops, and then sends what was typed meanwhile', async () => {
    const { page } = await open('/chat/slow');
    await say(page, 'Go');
    await page.getByText('The first half,').waitFor();
    await say(page, 'And then?');
    await page.getByText('Sent after this answer.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    await gate.reached(2);
    await gate.open();
    await page.getByText('The first half, and the second.').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
    expect(await page.getByText('Sent after this answer.').count()).toBe(0);
    expect(await page.locator('article').allTextContents()).toEqual([
      'Go',
      expect.stringContaining('Stopped.'),
      'And then?',
      'The first half, and the second.',
    ]);
  });

  test('has buttons for who may decide, and learns of a decision of somebody else', async () => {
    const chief = await open('/chat/banker');
    await say(chief.page, 'Pay');
    await chief.page.getByRole('button', { name: 'Approve' }).click();
    await chief.page.getByText('All is paid.').waitFor();
    await say(chief.page, 'Pay again');
    await chief.page.getByRole('button', { name: 'Approve' }).waitFor();
    await rig.client.get(await runThatWaits('banker')).decide('1.1', { type: 'approve' });
    await expect.poll(() => chief.page.getByText('All is paid.').count(), { timeout: 30_000 }).toBe(2);

    const customer = await open('/chat/banker', 'token-of-a-customer');
    await say(customer.page, 'Pay');
    await customer.page.getByText('waits for approval').waitFor();
    expect(await customer.page.getByRole('button', { name: /Approve|Reject|Stop/u }).count()).toBe(0);
    await rig.client.get(await runThatWaits('banker')).decide('1.1', { type: 'approve' });
    await customer.page.getByText('All is paid.').waitFor();
    expect([chief.said, customer.said]).toEqual([[], []]);
  });

  test('takes the answer to a question of the agent', async () => {
    const { page } = await open('/chat/curious');
    await say(page, 'Paint it');
    await page.getByLabel('Answer').fill('blue');
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('Thank you.').waitFor();
    expect(await page.getByRole('button', { name: 'Answer' }).count()).toBe(0);
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('is accessible and fits, %s, %i wide', async (scheme, width) => {
    const { page } = await open('/chat/banker', 'token-of-the-chief', width, scheme);
    await say(page, `Pay ${'a long word '.repeat(30)}`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.evaluate(axe.source);
    const found = await page.evaluate(
      `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => html + failureSummary)].join('\\n')))`,
    );
    expect(found).toEqual([]);
    const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect(isWide).toBe(false);
    const shots = process.env['SHOTS'];
    if (shots !== undefined) await page.screenshot({ path: `${shots}/chat-${scheme}-${width}.png` });
    await page.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('not approved').waitFor();
  });
});
