import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ElasticsearchOptions, elasticsearch } from '../../adapters/tools/search/elasticsearch.ts';
import { failureOf } from '../support/loopback.ts';
import { type SearchEngine, fetchSearchEngine, startSearchEngine } from '../support/search-engine.ts';
import { toolContext } from '../support/tool-context.ts';

/** The tool against a real engine: OpenSearch 2.19, which speaks Elasticsearch's protocol. Its articles are the third seed's. */
const fetched = await fetchSearchEngine();
const jars = 'jars' in fetched ? fetched.jars : '';
const title = 'missing' in fetched ? ` (skipped: no OpenSearch here: ${fetched.missing})` : '';

const index = 'summary_section';
/** The best first, as the engine ranks them for the question. */
const articles = [
  {
    title: '中国清洁服务的增长逻辑',
    content:
      '作为一个传统的劳动密集型的行业,清洁服务也会面临着因为人口老龄化而逐渐失去竞争力,清洁服务行业需要一个转型的契机,届时机械化、一体化、市场化,这三个方面将是解决问题的一个关键。',
  },
  {
    title: '天融信',
    content:
      '实际上应该说它应该目前来看,还真的没有说哪个行业是所以我们自己实际卖的来看,就卖了一个多亿来看,这些行业没有一个太大的特点。',
  },
  { title: '5G时代下科技股该如何投资', content: '最后我们还是落到TMT的行业方面。' },
  {
    title: '5G时代下科技股该如何投资2',
    content:
      '2022年TMT领域热点频出,如信创、数字经济以及引发全民关注的源宇宙等。同时A股震荡格局下,TMT行业细分赛道持续轮动表现可圈可点。2023年TMT行业的发展趋势如何?又有何投资机会?',
  },
];
const bread = { title: 'Bread', content: 'Flour, water, salt.', author: { name: 'Ada' } };
let engine: SearchEngine;

function search(query: string, options: Partial<ElasticsearchOptions> = {}) {
  return elasticsearch({ url: engine.url, index, ...options }).run(query as never, toolContext());
}

describe.skipIf(jars === '')(`a real search engine${title}`, () => {
  beforeAll(async () => {
    engine = await startSearchEngine(jars);
    await engine.add(index, [bread, ...articles.toReversed()]);
  });
  afterAll(() => engine.kill());

  test('finds the articles of the third seed, the best one first, and no other', async () => {
    const rows = articles.map(({ title, content }) => `title: ${title}, content: ${content}\n`);
    expect(await search('清洁和TMT行业哪个行业更利好')).toBe(rows.join(''));
  });

  test.each<{ what: string; query: string; options: Partial<ElasticsearchOptions>; told: string }>([
    { what: 'nothing', query: 'xyzzy', options: {}, told: 'No good search result found' },
    { what: 'no more than size', query: '行业', options: { size: 1, row: 'one ' }, told: 'one ' },
    {
      what: 'only the given fields',
      query: 'flour',
      options: { fields: ['title'] },
      told: 'No good search result found',
    },
    {
      what: 'fields within objects',
      query: 'BREAD',
      options: { row: '{author.name}: {content}' },
      told: 'Ada: Flour, water, salt.',
    },
    {
      what: 'several indices',
      query: 'bread',
      options: { index: `${index},sum*`, row: '{title}' },
      told: 'Bread',
    },
    {
      what: 'quotes, braces and operators as they are',
      query: '"{(bread]} AND \\ /',
      options: { row: '{title}' },
      told: 'Bread',
    },
  ])('finds $what', async ({ query, options, told }) => {
    expect(await search(query, options)).toBe(told);
  });

  test.each<{ when: string; options: Partial<ElasticsearchOptions>; type: string; says: RegExp }>([
    {
      when: 'there is no such index',
      options: { index: 'nope' },
      type: 'ToolNotFound',
      says: /no such index \[nope\]/,
    },
    {
      when: 'no index can have the name',
      options: { index: '_bread' },
      type: 'ToolBadRequest',
      says: /[Ii]nvalid index name/,
    },
  ])('answers in its own words when $when', async ({ options, type, says }) => {
    const error = await failureOf(search('bread', options));
    expect(error).toMatchObject({ name: type, retryable: false, message: expect.stringMatching(says) });
  });

  test('that was killed may be asked again', async () => {
    await engine.kill();
    expect(await failureOf(search('bread'))).toMatchObject({ name: 'ToolConnectionError', retryable: true });
  });
});
