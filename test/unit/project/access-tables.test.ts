import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withAccessTables } from '../../support/access-tables.ts';

test('SECURITY.md has the tables of routes and fields as the gateway asks them', () => {
  const page = readFileSync(new URL('../../../SECURITY.md', import.meta.url), 'utf8');
  expect(page).toBe(withAccessTables(page));
});
