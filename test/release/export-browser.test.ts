import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runPage } from '../../features/render/page/run-page.ts';
import { chromiumTitle, hasChromium, startChromium } from '../support/chromium.ts';
import { askedWith, exportOf } from '../support/exported.ts';
import { answers, atSeconds, decides, observes, waits, started } from '../support/run-events.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** The exported page where it is read. */
const folder = tempFolder();

const WIDE = `${'unbroken'.repeat(200)} <script>document.title = 'run'</script>`;
const small = exportOf(
  atSeconds(
    started,
    ...decides('1', 'Search', WIDE),
    ...waits('1.1', 'Search', WIDE),
    { type: 'decided', call: '1.1', decision: { type: 'skip', reason: WIDE } },
    observes('1.1', 'Search', WIDE, { [WIDE]: [WIDE] }),
    ...answers('2', WIDE),
  ),
  { requests: [askedWith('1', WIDE), askedWith('2', `${WIDE} and more`)] },
);
const page = { ...small, subAgents: [{ call: '1.1', n: 0, id: 'run-1/1.1', export: small }] };

let browser: Browser | undefined;
beforeAll(async () => {
  if (hasChromium) browser = await startChromium();
});
afterAll(() => browser?.close());

describe.skipIf(!hasChromium)(`the page of a run in a browser${chromiumTitle}`, () => {
  test.each([
    [375, 'light'],
    [375, 'dark'],
    [1440, 'light'],
    [1440, 'dark'],
  ] as const)('has no line that leaves the window, %s pixels wide and %s', async (width, colorScheme) => {
    const { opened } = await open(page, width, colorScheme);
    const overflow = () => opened.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(await overflow()).toBeLessThanOrEqual(0);
    await opened.evaluate('document.querySelectorAll("details").forEach((one) => (one.open = true))');
    expect(await overflow()).toBeLessThanOrEqual(0);
  });

  test('runs nothing, and asks for nothing beside itself', async () => {
    const { opened, asked, said } = await open(page);
    expect({ asked, said }).toEqual({ asked: 1, said: [] });
    expect(await opened.title()).toBe('assistant · run run-1');
  });

  test('folds each step, and unfolds it where it is asked for, or led to by a decision', async () => {
    const { opened } = await open(page);
    const input = opened.locator('[id="1.1"]');
    expect(await input.isVisible()).toBe(false);
    await opened.locator('[id="1"] > summary').click();
    expect(await input.isVisible()).toBe(true);
    await opened.locator('[id="1"] > summary').click();
    await opened.locator('a[href="#1.1"]').click();
    expect(await input.isVisible()).toBe(true);
  });

  test('on paper has its steps open, and their inputs whole', async () => {
    const { opened } = await open(page);
    await opened.emulateMedia({ media: 'print' });
    expect(await opened.locator('[id="1.1"]').isVisible()).toBe(true);
    const hidden = await opened.evaluate(
      `[...document.querySelectorAll('.turn .what, .turn > .body pre')].filter((one) => getComputedStyle(one).overflow !== 'visible').length`,
    );
    expect(hidden).toBe(0);
  });

  test('has no row that is left out until it is on the screen, in a run of usual length', async () => {
    const { opened } = await open(page);
    const left = await opened.evaluate(
      `[...document.querySelectorAll('.turn')].filter((one) => getComputedStyle(one).contentVisibility !== 'visible').length`,
    );
    expect(left).toBe(0);
  });

  test('shows a thousand steps, and the last of them when it is unfolded', async () => {
    const ids = Array.from({ length: 1000 }, (_, index) => String(index + 1));
    const steps = ids.flatMap((id) => [
      ...decides(id, 'Search', `input ${id}`),
      observes(`${id}.1`, 'Search', '', `row ${id} `.repeat(300)),
    ]);
    const { opened } = await open(exportOf(atSeconds(started, ...steps)));
    expect(await opened.locator('.turn').count()).toBe(1000);
    await opened.locator('[id="1000"] > summary').click();
    expect(await opened.locator('[id="1000.1"]').innerText()).toContain('row 1000 row 1000');
  });
});

async function open(
  exported: Parameters<typeof runPage>[0],
  width = 1440,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<{ opened: Page; asked: number; said: string[] }> {
  if (browser === undefined) throw new Error('No browser.');
  const file = join(folder, 'run.html');
  writeFileSync(file, runPage(exported));
  const opened = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
  let asked = 0;
  const said: string[] = [];
  opened.on('request', () => asked++);
  opened.on('console', (message) => said.push(message.text()));
  opened.on('pageerror', (error) => said.push(error.message));
  await opened.goto(pathToFileURL(file).href);
  return { opened, asked, said };
}
