import { expect, test } from 'vitest';
import { rankTools } from '../../../../../adapters/tools/tool-search/rank-tools.ts';

const tools = [
  { name: 'list_invoices', description: 'Lists the invoices of a customer, with a page at a time.' },
  { name: 'sendInvoice', description: 'Sends it by mail.' },
  { name: 'weather', description: 'Says how the weather of a city is.' },
  { name: 'mail', description: 'Writes a mail to a customer of the city.' },
];
const found = (query: string) => rankTools(query, tools).map(({ name }) => name);

test.each([
  ['invoice', ['sendInvoice', 'list_invoices']],
  ['Send INVOICES', ['sendInvoice', 'list_invoices']],
  ['mail', ['mail', 'sendInvoice']],
  ['the weather in Lisbon', ['weather', 'mail', 'list_invoices']],
  ['teleport', []],
  ['', []],
])('finds by the words of %j, rare ones and those of names first', (query, names) => {
  expect(found(query)).toEqual(names);
});

test('keeps the given order of tools that fit equally well', () => {
  const same = ['b', 'a', 'c'].map((name) => ({ name, description: 'pays' }));
  expect(rankTools('pay', same).map(({ name }) => name)).toEqual(['b', 'a', 'c']);
});
