import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ModelError } from '../../adapters/models/model.ts';
import { defineTool } from '../../adapters/tools/tool.ts';
import { chromiumTitle, hasChromium, startChromium } from '../support/chromium.ts';
import { type GatewayServer, startGateway } from '../support/gateway-server.ts';
import { useRig, waitOf } from '../support/rig.ts';
import { modelOf } from '../support/scripts.ts';

/** The inbox in a browser, with two instances of the gateway. */
const EVIL = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>`;

const paid: unknown[] = [];
const transfer = defineTool({
  name: 'transfer',
  description: 'transfers money',
  input: z.object({ to: z.string(), amount: z.number() }),
  approval: 'always',
  run(input) {
    paid.push(input);
    return EVIL;
  },
});
const report = defineTool({
  name: 'report',
  description: 'fails',
  run: () => Promise.reject(new Error(`${EVIL} no file`)),
  retry: { maxAttempts: 1 },
});

/** Calls the tool once, and answers. */
const calling = (name: string, input: object) =>
  modelOf((step) =>
    step === '1'
      ? { toolCalls: [{ id: 'a', name, arguments: JSON.stringify(input) }] }
      : `All is done. ${EVIL}`,
  );
const agents = [
  {
    name: 'banker',
    kind: 'tool-calling' as const,
    model: calling('transfer', { to: 'Ann', amount: 9000 }),
    tools: [transfer],
  },
  {
    name: 'clerk',
    kind: 'tool-calling' as const,
    model: calling('report', { input: EVIL }),
    tools: [report],
  },
];
const look = defineTool({ name: 'look', description: 'looks', run: () => 'seen' });
const careful = {
  name: 'careful',
  kind: 'tool-calling' as const,
  model: modelOf((step) => {
    const call = (name: string, args: object) => ({
      toolCalls: [{ id: `c${step}`, name, arguments: JSON.stringify(args) }],
    });
    return step === '1' ? call('look', { input: 'x' }) : call('transfer', { to: 'Ann', amount: 1 });
  }),
  tools: [look, transfer],
};
const mute = {
  name: 'mute',
  kind: 'tool-calling' as const,
  onModelFailure: 'ask' as const,
  model: modelOf(() => {
    throw new ModelError('ModelServerError', 'busy', { retryable: true, retryAfterMs: 1 });
  }),
};
const rig = useRig({ agents: [...agents, careful, mute] });

const LOOKS = [
  ['light', 1280],
  ['dark', 1280],
  ['light', 360],
  ['dark', 360],
] as const;

/** Each test has a tenant, and so an inbox. */
const tenants = ['night', 'model', 'keys', 'two', 'scopes', 'page', ...LOOKS.map((look) => look.join('-'))];
const tokenOf = (tenant: string, name = 'ann') => `token-of-${name}-of-${tenant}`;
const tokens = tenants.flatMap((tenant) => [
  { token: tokenOf(tenant), name: 'ann', tenant, scopes: ['admin' as const] },
  {
    token: tokenOf(tenant, 'rita'),
    name: 'rita',
    tenant,
    scopes: ['read' as const],
    may: ['all-runs' as const],
  },
]);
let browser: Browser;
let servers: GatewayServer[];
beforeAll(async () => {
  if (!hasChromium) return;
  browser = await startChromium();
  const options = { tokens, webUi: 'http://127.0.0.1:8233/' };
  servers = await Promise.all([startGateway(rig.client, options), startGateway(rig.client, options)]);
});
afterAll(async () => {
  await browser?.close();
  for (const server of servers ?? []) server.stop();
});

const start = (agent: string, id: string) => rig.client.start(agent, `${EVIL} Pay the bill ${id}.`, { id });

/** A page of one instance, signed in. `said`: errors of the page. */
async function open(
  tenant: string,
  {
    instance = 0,
    path = '/',
    name = 'ann',
    width = 1280,
    colorScheme = 'light',
  }: { instance?: number; path?: string; name?: string; width?: number; colorScheme?: 'light' | 'dark' } = {},
): Promise<{ page: Page; said: string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
  const page = await context.newPage();
  const said: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && said.push(message.text())));
  page.on('pageerror', (error) => said.push(error.message));
  await page.goto(`${servers[instance]?.url}${path}`);
  await page.getByLabel('Token').fill(tokenOf(tenant, name));
  await page.keyboard.press('Enter');
  await page.getByText('Live').waitFor();
  // The first request has no token, and the browser says so.
  said.length = 0;
  return { page, said };
}

/** Accessibility violations that axe finds, as text. */
async function problemsOf(page: Page): Promise<string> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => html.slice(0, 200) + failureSummary)].join('\\n')))`,
  );
  return (found as string[]).join('\n\n'); // made above
}

describe.skipIf(!hasChromium)(`the inbox${chromiumTitle}`, () => {
  test('shows a call when it begins to wait, and a person approves another input by keyboard', async () => {
    const { page, said } = await open('keys');
    await page.getByText('Nothing waits.').waitFor();
    expect(await problemsOf(page)).toBe('');
    const run = await start('banker', 'keys.bill');
    const card = page.getByRole('article', { name: /^transfer 1\.1/u });
    await card.waitFor();
    expect(await card.innerText()).toContain('Pay the bill keys.bill.');
    expect(await card.getByRole('link', { name: "Temporal's Web UI" }).getAttribute('href')).toBe(
      'http://127.0.0.1:8233/namespaces/default/workflows/keys.bill',
    );

    await reach(page, 'Edit input');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('{ "to": "Ann", "amount": 9, ');
    expect(await card.getByRole('alert').first().innerText()).toContain('This is not JSON');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('}');
    expect(await card.locator('del, ins').allInnerTexts()).toEqual([
      expect.stringContaining('-   "amount": 9000'),
      expect.stringContaining('+   "amount": 9'),
    ]);
    await reach(page, 'Approve as edited');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing waits.').waitFor();
    const { output } = await run.result();
    expect(output).toContain('All is done.');
    expect(paid).toEqual([{ to: 'Ann', amount: 9 }]);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    const { decisions } = await run.export();
    expect(decisions).toMatchObject([{ decision: { type: 'approve', by: 'ann' } }]);
    expect(said).toEqual([]);
  });

  test('at one instance loses the call that is decided at another, and keeps what a person is writing', async () => {
    const run = await start('banker', 'two.bill');
    const [first, second] = [await open('two'), await open('two', { instance: 1 })];
    const card = first.page.getByRole('article');
    await card.getByRole('button', { name: 'Reject' }).click();
    await first.page.keyboard.type('Too much.');
    await second.page.getByRole('button', { name: 'Reject' }).click();
    await second.page.keyboard.type(`Not to Ann. ${EVIL}`);
    await second.page.keyboard.press('Control+Enter');
    await second.page.getByText('Nothing waits.').waitFor();
    await card.getByText('This call no longer waits').waitFor();
    expect(await card.getByLabel('Reason').inputValue()).toBe('Too much.');
    await run.result();
    expect((await run.export()).decisions).toMatchObject([
      { decision: { type: 'reject', reason: `Not to Ann. ${EVIL}` } },
    ]);
  });

  test('says why a decision is refused, and shows no run of another tenant', async () => {
    await start('banker', 'others.bill');
    await waitOf(rig.client.get('others.bill'));
    const run = await start('banker', 'scopes.bill');
    const { page } = await open('scopes', { name: 'rita' });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('rita does not have the scope decide.').waitFor();
    expect(await page.getByRole('article').count()).toBe(1);
    await run.decide('1.1', { type: 'abort' });
    await page.getByText('Nothing waits.').waitFor();
  });

  test("a run's page follows the run, also after a broken request, and keeps what is unfolded", async () => {
    await start('clerk', 'page.bill');
    const { page, said } = await open('page', { path: '/#/runs/page.bill' });
    await page.getByRole('heading', { name: /^clerk waiting for a person/u }).waitFor();
    await page.locator('[id="1"] > summary').click();
    const card = page.getByRole('article');
    await card.getByRole('button', { name: 'Give the result' }).click();
    await page.keyboard.type('{"sales": 3}');
    await page.route('**/runs/page.bill/page', (request) => request.abort(), { times: 1 });
    await page.getByRole('button', { name: 'Give the result' }).last().click();
    await page.getByRole('heading', { name: /^clerk completed/u }).waitFor();
    expect(await page.locator('[id="1.1"]').innerText()).toContain('"sales": 3');
    await page.locator('a[href="#1.1"]').click();
    expect(page.url()).toContain('#/runs/page.bill');
    expect(await page.getByRole('article').count()).toBe(0);
    const broken = expect.stringContaining('net::ERR_FAILED');
    expect([said, await page.title()]).toEqual([[broken], 'Run page.bill · Reloop']);
  });

  test('has equal failures as one card, whose click retries all, filters, and says who asks and what was done', async () => {
    const asker = rig.client.as('sue');
    const ids = [1, 2, 3, 4].map((n) => `night.${n}`);
    for (const id of ids) await asker.start('clerk', 'Pay.', { id, tags: ['nightly'] });
    await asker.start('careful', 'Pay.', { id: 'night.other' });
    const { page, said } = await open('night');
    const group = page.getByRole('article').filter({ hasText: 'Calls of report that failed alike: 4' });
    await group.waitFor();
    await page.getByRole('article').filter({ hasText: 'night.other' }).waitFor();
    const other = page.getByRole('article').filter({ hasText: 'night.other' });
    expect(await other.innerText()).toContain('asked by sue');
    await other.getByText('What the agent did before (1)').click();
    expect(await other.locator('.steps pre').innerText()).toContain('1.1 look');
    expect(await other.getByRole('button', { name: 'Edit input' }).count()).toBe(1);

    await page.getByLabel('Agent').selectOption('careful');
    expect(await page.getByRole('article').count()).toBe(1);
    await page.getByLabel('Agent').selectOption('');
    await page.getByLabel('Tag').selectOption('nightly');
    await group.getByRole('button', { name: 'Retry all 4' }).click();
    const again = async () => {
      const reports = await Promise.all(ids.map((id) => rig.client.get(id).describe()));
      return reports.flatMap(({ waiting }) => waiting.map(({ n }) => n));
    };
    await expect.poll(again, { timeout: 20_000 }).toEqual([1, 1, 1, 1]);
    expect(said).toEqual([]);
  });

  test('has no input to edit on a model call that failed', async () => {
    await rig.client.start('mute', 'Say something.', { id: 'model.1' });
    const { page } = await open('model');
    const card = page.getByRole('article');
    await card.getByText('Model call').waitFor();
    expect(await card.innerText()).not.toContain('null');
    expect(await card.getByRole('button', { name: 'Edit input' }).count()).toBe(0);
    await card.getByRole('button', { name: 'Retry' }).waitFor();
  });

  test.each(LOOKS)(
    'has no barrier that axe finds, and fits: %s, %s pixels wide',
    async (colorScheme, width) => {
      const tenant = `${colorScheme}-${width}`;
      const id = `${tenant}.bill`;
      await start('banker', id);
      await start('clerk', `${id}-failed`);
      const { page, said } = await open(tenant, { colorScheme, width });
      await page.getByRole('article').nth(1).waitFor();
      await page.getByRole('button', { name: 'Edit input' }).first().click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type('{ "to": "Bob", "amount": 9 }');
      await page.getByRole('button', { name: 'Reject' }).click();
      expect(await problemsOf(page)).toBe('');
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      await page.goto(`${servers[0]?.url}/#/runs/${id}-failed`);
      await page.locator('[id="1"] > summary').click();
      expect(await problemsOf(page)).toBe('');
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect([said, await page.title()]).toEqual([[], `Run ${id}-failed · Reloop`]);
    },
  );
});

/** Presses TAB until the button has the focus. */
async function reach(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 30; presses++) {
    if ((await page.evaluate('document.activeElement?.textContent')) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`TAB does not reach ${name}.`);
}
