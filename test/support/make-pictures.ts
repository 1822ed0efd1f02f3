/** `node --import tsx test/support/make-pictures.ts`: the pictures of docs/web-ui.md, taken of a real Web UI, and of docs/inbox.md. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { AgentClient } from '../../client/index.ts';
import { startChromium } from './chromium.ts';
import { root } from './cli.ts';
import { startGateway } from './gateway-server.ts';
import { layOutPackage } from './packed-package.ts';
import { startPageProject } from './page-project.ts';

const folder = join(root, 'docs/images');
mkdirSync(folder, { recursive: true });
const project = await startPageProject(await layOutPackage());
const browser = await startChromium();
try {
  await project.type('reloop run bookkeeper "Close the books of March." --id march --no-wait');
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(`${project.uiUrl}/namespaces/default/workflows/march`);
  await takeTimeline(page);
  await takeTimer(page);
  await takeUpdateForm(page);
  await takeMetadata(page);
  await takeWaitingRuns(page);
  await takeInbox();
} finally {
  await browser.close();
  await project.stop();
}

async function takeTimeline(page: Page): Promise<void> {
  await visibleText(page, 'waiting: 1.1').waitFor();
  await take(page, 'waiting-timeline', 860);
}

/** In the list of events, below the timeline. */
async function takeTimer(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Compact' }).click();
  // The timeline goes on growing for a moment.
  await page.waitForTimeout(1000);
  await page.mouse.move(700, 600);
  await page.mouse.wheel(0, 2000);
  await take(page, 'timer-started', 800);
}

async function takeUpdateForm(page: Page): Promise<void> {
  await page.reload();
  await visibleText(page, 'waiting: 1.1').waitFor();
  await page.getByRole('button', { name: 'More Actions' }).filter({ visible: true }).click();
  await visibleText(page, 'Send an Update').click();
  await page.getByTestId('update-select-button').filter({ visible: true }).click();
  await page
    .getByRole('option', { name: /^resolve/u })
    .filter({ visible: true })
    .click();
  await page.locator('[contenteditable=true]').filter({ visible: true }).click();
  await page.keyboard.insertText('{"output":"sales 1,200"}');
  await take(page, 'send-an-update', 760);
}

async function takeMetadata(page: Page): Promise<void> {
  await page.goto(new URL('user-metadata', page.url()).href);
  // Markdown is shown in a frame of its own.
  await page.frameLocator('iframe >> nth=-1').getByText('To continue:').waitFor();
  await take(page, 'user-metadata', 820);
}

async function takeWaitingRuns(page: Page): Promise<void> {
  const query = encodeURIComponent('ReloopStatus="waiting"');
  await page.goto(`${project.uiUrl}/namespaces/default/workflows?query=${query}`);
  await visibleText(page, 'march').waitFor();
  await take(page, 'waiting-runs', 580);
}

async function takeInbox(): Promise<void> {
  await project.type('reloop run bookkeeper "Pay Ann and Carl." --id pay-2 --no-wait');
  const client = await AgentClient.connect({ address: project.address });
  const gateway = await startGateway(client, { open: true, webUi: 'http://127.0.0.1:8233' });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1010 } });
    await page.goto(gateway.url);
    const card = page.getByRole('article', { name: /^pay/u });
    await card.getByRole('button', { name: 'Edit input' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('400 to Ann');
    await take(page, 'inbox', 1010);
  } finally {
    gateway.stop();
    await client.close();
  }
}

function visibleText(page: Page, text: string) {
  return page.getByText(text).filter({ visible: true }).first();
}

async function take(page: Page, name: string, height: number): Promise<void> {
  // What opens or scrolls does so in steps.
  await page.waitForTimeout(1000);
  const clip = { x: 0, y: 0, width: 1280, height };
  await page.screenshot({ path: join(folder, `${name}.png`), clip, animations: 'disabled' });
}
