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

test.each([
  ['company', 'list_companies'],
  ['companies', 'get_company'],
  ['boxes', 'pack_box'],
  ['status', 'order_statuses'],
  ['classes', 'list_class'],
  ['movies', 'find_movie'],
  ['key', 'rotateKeys'],
  ['http response', 'getHTTPResponse'],
  ['token', 'oauth2Token'],
  ['a VM', 'stop_virtual_machines'],
  ['all VMs', 'list_virtual_machine'],
  ['virtual machine', 'stopVMs'],
  ['予約', '会議室の予約を確認する'],
  ['查询订单', '订单查询'],
  ['จอง', 'การจองห้อง'],
  ['Ｍａｉｌ', 'mail'],
])('a query of %j finds %j, and no other tool', (query, name) => {
  const others = ['restart', 'archive_photo', '天気'].map((other) => ({ name: other, description: '' }));
  const all = [...others, { name, description: '' }];
  expect(rankTools(query, all).map((one) => one.name)).toEqual([name]);
});

test('a short word of a query is no abbreviation of a name', () => {
  expect(rankTools('so it is', [{ name: 'show_order', description: '' }])).toEqual([]);
});
