import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/cli.ts';
import { referencePagesNow } from '../support/reference.ts';

const pages = [...referencePagesNow()];

test.each(pages)(
  'the reference page %s says what the types say now: `npm run docs:reference` writes it',
  (name, text) => {
    const file = join(root, 'docs/reference', name);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : 'missing').toBe(text);
  },
);

test.each(['reloop', 'reloop/client', 'reloop/workflows', 'reloop/testing'])(
  'the reference has everything that a program can import of %s',
  async (entry) => {
    const all = (await import(entry)) as object; // the package by its own name
    const [, text = ''] = pages.find(([name]) => name === `${entry.split('/').at(-1)}.md`) ?? [];
    // zod's own, passed on.
    const names = Object.keys(all).filter((name) => name !== 'z');
    expect(names.filter((name) => !text.includes(`\n### ${name}\n`))).toEqual([]);
  },
);
