import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/cli.ts';
import { pages, referencePages, textOf } from '../support/doc-pages.ts';

/** Nobody is sent to a page, a heading or a picture that is not there. */
const everyPage = [...pages, ...referencePages];

test.each(everyPage)('every link of %s leads somewhere', (page) => {
  const broken = linksOf(page).filter((link) => !leadsSomewhere(page, link));
  expect(broken).toEqual([]);
});

test('every page of docs/ is reached from README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) for (const target of targetsOf(page)) reached.add(target);
  expect(everyPage.filter((page) => page.startsWith('docs/') && !reached.has(page))).toEqual([]);
});

test('a link to a heading that is not there would be found', () => {
  expect(leadsSomewhere('README.md', 'docs/tools.md#effects')).toBe(true);
  expect(leadsSomewhere('README.md', 'docs/tools.md#no-such-heading')).toBe(false);
  expect(leadsSomewhere('README.md', 'docs/no-such-page.md')).toBe(false);
});

function leadsSomewhere(page: string, link: string): boolean {
  if (/^(?:https?|mailto):/u.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : relative(root, join(root, dirname(page), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

function targetsOf(page: string): string[] {
  return linksOf(page)
    .filter((link) => !/^\w+:/u.test(link))
    .map((link) => relative(root, join(root, dirname(page), link.split('#')[0] ?? '')))
    .filter((target) => target.endsWith('.md') && existsSync(join(root, target)));
}

/** Of Markdown links and pictures, code left out. */
function linksOf(page: string): string[] {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/gu)].map(([, link = '']) => link);
}

/** As GitHub makes them: small letters, blanks as hyphens, no other signs; the second of a name has `-1`. */
function anchorsOf(target: string): string[] {
  if (!statSync(join(root, target)).isFile()) return [];
  const headings = [...proseOf(target, false).matchAll(/^#{1,6} (.+)$/gmu)].map(([, text = '']) => text);
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

function proseOf(page: string, withoutCode = true): string {
  const text = textOf(page).replaceAll(/^ {0,3}```[^]*?^ {0,3}```$/gmu, '');
  return withoutCode ? text.replaceAll(/`[^`\n]*`/gu, '') : text;
}
