import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find((file) => existsSync(file));

/** Whether tests in a browser can run here. */
export const hasChromium = path !== undefined;

/** For the title of a test that needs it. */
export const chromiumTitle = hasChromium ? '' : ' (skipped: no chromium here)';

export function startChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: String(path), args: quietBrowser });
}

/** As root, and without a word to the outside. */
const quietBrowser = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
