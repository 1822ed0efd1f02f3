import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { AgentClient } from 'reloop/client';
import { payer } from '../../examples/payer.ts';
import { servePage } from '../../examples/web-page.ts';
import { chromiumTitle, hasChromium, startChromium } from '../support/chromium.ts';
import { root } from '../support/cli.ts';
import { useRig, waitOf } from '../support/rig.ts';

/** The example of a page that shows a run live. */
let server: Server;
let origin: string;
const rig = useRig({ agents: [{ ...payer, kind: 'tool-calling' }] });
beforeAll(async () => {
  server = servePage(new AgentClient(rig.temporal, rig.client.address, rig.taskQueue)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
}, 60_000);
afterAll(async () => {
  server.close();
  server.closeAllConnections();
});

const decide = (query: string, decision: object, type = 'application/json') =>
  fetch(`${origin}/decide${query}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: JSON.stringify({ call: '1.1', decision }),
  });

test('the page and its server have 60 lines', () => {
  expect(readFileSync(join(root, 'examples/web-page.ts'), 'utf8').trim().split('\n').length).toBe(60);
});

test('the server starts a run, streams it, takes a decision, and says why it takes none', async () => {
  const { headers } = await fetch(`${origin}/start`, { redirect: 'manual' });
  const query = headers.get('location')?.slice(1) ?? '';
  const run = rig.client.get(new URLSearchParams(query).get('run') ?? '');
  await waitOf(run);

  expect((await decide(query, { type: 'retry' }, 'text/plain')).headers.get('content-type')).toContain(
    'html',
  );
  const refused = await decide(query, { type: 'cancelCall' });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('DecisionRefused')]);
  const stream = fetch(`${origin}/events${query}`).then((response) => response.text());
  expect(await (await decide(query, { type: 'retry' })).text()).toBe('1.1');
  expect(await stream).toContain('"output":"Invoice 4711 is settled."');
});

test.skipIf(!hasChromium)(
  `in a browser it shows what waits after a reload too, comes back, and a click decides${chromiumTitle}`,
  async () => {
    const chrome = await startChromium();
    try {
      const page = await chrome.newPage();
      await page.goto(`${origin}/start`);
      await button(page, 'retry').waitFor();
      await page.reload();
      await button(page, 'retry').waitFor();
      const shown = await page.locator('p').allInnerTexts();
      expect(shown[0]).toBe('Pay invoice 4711.');

      const comesBack = once(server, 'request');
      server.closeAllConnections();
      const [request] = (await comesBack) as [{ headers: { [name: string]: string } }]; // Node's own event
      expect(request.headers['last-event-id']).toMatch(/^[\w-]+:\d+:\d+$/u);

      await button(page, 'retry').click();
      await page.getByText('completed: Invoice 4711 is settled.').waitFor();
      expect(await page.locator('p').allInnerTexts()).toEqual([
        ...shown.slice(0, 2),
        'bank: "invoice 4711 is paid"',
        'Invoice 4711 is settled.',
        'completed: Invoice 4711 is settled.',
      ]);
    } finally {
      await chrome.close();
    }
  },
);

const button = (page: Page, name: string) => page.getByRole('button', { name });
