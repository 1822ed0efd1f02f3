import { writeFileSync } from 'node:fs';
import { type Server, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamResponse, Task } from '@a2a-js/sdk';
import { HttpAgent } from '@ag-ui/client';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { a2aClient, answerAfter, answerOf, sent } from '../support/a2a-client.ts';
import { aguiFetch } from '../support/agui-fetch.ts';
import { chromiumTitle, hasChromium, startChromium } from '../support/chromium.ts';
import { type Command, reloop, root } from '../support/cli.ts';
import { type CrashRig, linesOf, startCrashRig } from '../support/crash-rig.ts';
import { freePort } from '../support/dev-server.ts';
import { fetchAiSdk7 } from '../support/npm-packages.ts';
import { textOf } from '../support/doc-pages.ts';
import { blocksOf } from '../support/page-blocks.ts';

/** Front ends behind two processes of `reloop serve`, of which one is killed, with the worker, in the middle of an answer. */
const CONFIG = 'test/fixtures/gateway.config.ts';
const TOKEN = 'a-token-of-this-test';
const words = Array.from({ length: 40 }, (_, index) => `word${index}`);
const ANSWER = words.join(' ');

let rig: CrashRig;
let worker: Command;
let balancer: Server;
let origin: string;
let chrome: Browser;
const fetched = await fetchAiSdk7();
/** The page with each version of the AI SDK. `folder`: with its packages. `header`: a field of the page's headers. */
const pages = [
  { version: '6', folder: root, header: '' },
  ...('missing' in fetched
    ? []
    : [{ version: '7', folder: fetched.folder, header: "'X-AI-SDK': '7.0.173', " }]),
];
const missing = 'missing' in fetched ? `, 7 skipped: no AI SDK 7 here: ${fetched.missing}` : '';
const gateways: { command: Command; port: number }[] = [];

beforeAll(async () => {
  rig = await startCrashRig({
    config: CONFIG,
    replies({ prompt }) {
      if (prompt.includes('Greet me.')) return 'Good day to you.';
      // Another text than that of the attempt before, so that it cannot be its continuation.
      if (prompt.includes('Draft it.') && prompt.includes('paid bill') && isDraft()) {
        return { text: ANSWER.replaceAll('word', 'draft'), chunkDelayMs: 100 };
      }
      if (prompt.includes('paid bill')) return { text: ANSWER, chunkDelayMs: 100 };
      return { text: 'One moment.', toolCalls: [{ name: 'pay', arguments: { input: 'bill' } }] };
    },
  });
  worker = rig.startWorker();
  gateways.push(await startGateway(), await startGateway());
  balancer = createServer();
  await new Promise<void>((resolve) => balancer.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`; // it listens on a port
  serve(await Promise.all(pages.map((page) => bundleOfPage(origin, page))));
}, 60_000);
afterAll(async () => {
  balancer.closeAllConnections();
  balancer.close();
  await Promise.all(gateways.map(({ command }) => command.killGroup()));
  await rig.stop();
});

/** Kills the gateway that took the last request, and the worker, and starts others. */
async function killThoseAtWork(): Promise<void> {
  const streaming = asked.at(-1) ?? 0;
  await Promise.all([gateways[streaming]?.command.killGroup(), worker.killGroup()]);
  worker = rig.startWorker();
  gateways[streaming] = await startGateway();
}

describe.skipIf(!hasChromium).each(pages)(
  `a chat page with the AI SDK $version${chromiumTitle}${missing}`,
  ({ version }) => {
    const address = () => `${origin}/${version}`;
    beforeAll(async () => {
      chrome = await startChromium();
    });
    afterAll(() => chrome.close());

    test('shows a whole answer, though its gateway and the worker die in the middle', async () => {
      const before = linesOf(join(rig.folder, 'effects')).length;
      const page = await chrome.newPage();
      await page.goto(address());
      await say(page, 'Pay the bill.');
      const approve = page.getByRole('button', { name: 'approve' });
      await approve.waitFor();
      // The page is closed meanwhile, and another gateway takes the approval.
      await page.reload();
      asked.length = 0;
      await approve.click();
      await page.getByText('word7').waitFor({ timeout: 60_000 });
      await killThoseAtWork();
      await page.getByText('word39').waitFor({ timeout: 60_000 });
      await page.getByPlaceholder('ready').waitFor();
      await expect(page.locator('section').last().locator('p').allInnerTexts()).resolves.toEqual([
        'One moment.',
        ANSWER,
      ]);
      expect(asked.length).toBeGreaterThan(1);
      expect(linesOf(join(rig.folder, 'effects'))).toHaveLength(before + 1);
      const shots = process.env['SHOTS'];
      if (shots !== undefined) await page.screenshot({ path: `${shots}/use-chat-${version}.png` });

      await say(page, 'Greet me.');
      await page.getByText('Good day to you.').waitFor();
      await page.reload();
      await page.getByPlaceholder('ready').waitFor();
      await expect(page.locator('section b').allInnerTexts()).resolves.toEqual([
        'user',
        'assistant',
        'user',
        'assistant',
      ]);
      await page.close();
    }, 120_000);

    test('loses the text of a worker that died, with version 7 in the same stream', async () => {
      drafts = 0;
      const page = await chrome.newPage();
      await page.goto(address());
      await say(page, 'Pay the bill. Draft it.');
      await page.getByRole('button', { name: 'approve' }).click();
      await page.getByText('draft7').waitFor({ timeout: 60_000 });
      const requests: string[] = [];
      page.on('request', (request) => requests.push(new URL(request.url()).pathname));
      await worker.killGroup();
      worker = rig.startWorker();
      await page.getByText('word39').waitFor({ timeout: 60_000 });
      await page.getByPlaceholder('ready').waitFor();
      await expect(page.locator('section').last().locator('p').allInnerTexts()).resolves.toEqual([
        'One moment.',
        ANSWER,
      ]);
      const resumed = requests.filter((path) => path.endsWith('/stream'));
      expect(requests).toEqual(resumed);
      expect(resumed).toHaveLength(version === '7' ? 0 : 1);
      await page.close();
    }, 120_000);

    test('shows a decision that somebody else made', async () => {
      const page = await chrome.newPage();
      await page.goto(address());
      await page.evaluate('localStorage.clear()');
      await page.reload();
      await say(page, 'Pay the bill.');
      await page.getByRole('button', { name: 'approve' }).waitFor();
      const waiting = async () => (await rig.client.listPage({ status: 'waiting' })).runs[0]?.id;
      await expect.poll(waiting).toBeDefined();
      await rig.client
        .get((await waiting()) ?? '')
        .decide('1.1', { type: 'reject', reason: 'paid bill already' });
      await page.evaluate("dispatchEvent(new Event('focus'))");
      await page.getByText('word39').waitFor();
      await expect(page.locator('pre').innerText()).resolves.toContain('output-denied');
    }, 60_000);
  },
);

test('a client of AG-UI has a whole answer, though its gateway and the worker die in the middle', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // the client reports each error
  const agent = new HttpAgent({
    url: `${origin}/ag-ui/clerk`,
    fetch: aguiFetch,
    headers: { Authorization: `Bearer ${TOKEN}` },
    initialMessages: [{ id: 'q1', role: 'user', content: 'Pay the bill.' }],
  });
  await agent.runAgent();
  const before = linesOf(join(rig.folder, 'effects')).length;
  const resume = agent.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status: 'resolved' as const,
    payload: { approved: true },
  }));
  let broken = agent.runAgent({ resume }).then(
    () => false,
    () => true,
  );
  const text = () => agent.messages.at(-1)?.content;
  await expect.poll(text, { timeout: 20_000 }).toContain('word7');
  await killThoseAtWork();
  expect(await broken).toBe(true);
  while (await broken) {
    await sleep(200);
    broken = agent.runAgent({ resume }).then(
      () => false,
      () => true,
    );
  }
  expect(agent.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', 'Pay the bill.'],
    ['assistant', 'One moment.'],
    ['tool', 'paid bill'],
    ['assistant', ANSWER],
  ]);
  expect(linesOf(join(rig.folder, 'effects'))).toHaveLength(before + 1);
}, 120_000);

test('a client of A2A has a whole answer, though its gateway and the worker die in the middle', async () => {
  const client = await a2aClient(`${origin}/a2a/clerk/`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const before = linesOf(join(rig.folder, 'effects')).length;
  const { id } = (await client.sendMessage(sent('Pay the bill.'))) as Task; // the gateway has no other answer
  let answer = '';
  const read = async (stream: AsyncIterable<StreamResponse>) => {
    for await (const event of stream) answer = answerAfter(answer, event);
  };
  const isBroken = (reading: Promise<void>) =>
    reading.then(
      () => false,
      () => true,
    );
  let broken = isBroken(read(client.sendMessageStream(sent('approve', { taskId: id }))));
  await expect.poll(() => answer, { timeout: 20_000 }).toContain('word7');
  await killThoseAtWork();
  expect(await broken).toBe(true);
  while (await broken) {
    await sleep(200);
    broken = isBroken(read(client.resubscribeTask({ tenant: '', id })));
  }
  expect(answer).toBe(ANSWER);
  expect(answerOf(await client.getTask({ tenant: '', id }))).toBe(ANSWER);
  expect(linesOf(join(rig.folder, 'effects'))).toHaveLength(before + 1);
}, 120_000);

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox').fill(text);
  await page.getByRole('textbox').press('Enter');
}

/** The program of docs/use-chat.md, for the gateways and an agent of this test. */
async function bundleOfPage(
  gateway: string,
  { version, folder, header }: (typeof pages)[number],
): Promise<{ version: string; code: string }> {
  const block = blocksOf(textOf('docs/use-chat.md')).find(({ language }) => language === 'tsx');
  const contents = [
    ['http://localhost:8700', gateway],
    ['Authorization:', `${header}Authorization:`],
    ['a-secret-of-mine', TOKEN],
    ['/ui/assistant/', '/ui/clerk/'],
  ].reduce((text, [from = '', to = '']) => text.replace(from, to), block?.lines.join('\n') ?? '');
  const { outputFiles } = await build({
    stdin: { contents, loader: 'tsx', resolveDir: folder },
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  return { version, code: outputFiles[0]?.text ?? '' };
}

let drafts = 0;
function isDraft(): boolean {
  return drafts++ === 0;
}

/** Gateways that took the requests of front ends, in order. */
const asked: number[] = [];
let turn = 0;

/** Serves the pages, each under its version, and gives each request to the next gateway. */
function serve(bundles: { version: string; code: string }[]): void {
  const html = (version: string) =>
    `<!doctype html><meta charset="utf-8"><title>Chat</title><body><script type="module" src="/${version}.js"></script>`;
  balancer.on('request', (incoming, outgoing) => {
    const { url = '', method, headers } = incoming;
    const { version, code } = bundles.find((bundle) => url.startsWith(`/${bundle.version}`)) ?? {};
    if (code !== undefined && url.endsWith('.js'))
      return outgoing.setHeader('content-type', 'text/javascript').end(code);
    if (version !== undefined) return outgoing.setHeader('content-type', 'text/html').end(html(version));
    const index = turn++ % gateways.length;
    if (/^\/(?:ui|ag-ui|a2a)\//u.test(url)) asked.push(index);
    const { port = 0 } = gateways[index] ?? {};
    const forwarded = httpRequest({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    return incoming.pipe(forwarded);
  });
}

async function startGateway(): Promise<{ command: Command; port: number }> {
  const port = await freePort();
  const file = join(rig.folder, 'callers.json');
  writeFileSync(file, JSON.stringify([{ token: TOKEN, name: 'page', scopes: ['admin'] }]));
  const args = ['serve', '--port', String(port), '--tokens', file, '--config', CONFIG];
  const command = reloop([...args, '--address', rig.server.address], { OPENAI_BASE_URL: rig.model.url });
  await command.prints('Gateway ready');
  return { command, port };
}
