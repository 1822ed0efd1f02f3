import { describe, expect, it } from 'vitest';
import {
  type ElasticsearchOptions,
  elasticsearch,
} from '../../../../../adapters/tools/search/elasticsearch.ts';
import { ToolError } from '../../../../../adapters/tools/tool.ts';
import { type LoopbackAnswer, failureOf, loopback } from '../../../../support/loopback.ts';
import { toolContext } from '../../../../support/tool-context.ts';

const PASSWORD = 'elastic-secret';

function ask(options: Partial<ElasticsearchOptions>, query = 'TMT') {
  const tool = elasticsearch({ url: '', index: 'summary_section', ...options });
  return tool.run(tool.parseInput(query) as never, toolContext());
}

/** An answer in the documented form of Elasticsearch's search API. */
function found(...documents: object[]): LoopbackAnswer {
  const hits = documents.map((_source, id) => ({ _index: 'i', _id: String(id), _score: 1, _source }));
  const total = { value: hits.length, relation: 'eq' };
  const shards = { total: 1, successful: 1, skipped: 0, failed: 0 };
  return { body: { took: 1, timed_out: false, _shards: shards, hits: { total, max_score: 1, hits } } };
}

const article = { title: '天融信', content: '没有一个太大的特点。' };

describe('a search of an index', () => {
  it("is the seed's: multi_match over content and title, five documents, a row for each", async () => {
    const { url, requests } = await loopback(found({ title: 'a', content: 'b' }, article));
    const output = await ask({ url, auth: { username: 'elastic', password: PASSWORD } }, '清洁和TMT行业');
    expect(output).toBe('title: a, content: b\ntitle: 天融信, content: 没有一个太大的特点。\n');
    const authorization = `Basic ${Buffer.from(`elastic:${PASSWORD}`).toString('base64')}`;
    const headers = { 'content-type': 'application/json', authorization };
    expect(requests).toMatchObject([{ method: 'POST', path: '/summary_section/_search', headers }]);
    const query = { multi_match: { query: '清洁和TMT行业', fields: ['content', 'title'] } };
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ query, size: 5 });
  });

  it('takes other fields, another size, an API key, several indices, and a path before them', async () => {
    const { url, requests } = await loopback(found());
    const options = { fields: ['name^3', 'text'], size: 2, index: 'logs-*,docs', auth: { apiKey: 'abc==' } };
    await ask({ url: `${url}/es/`, ...options });
    const headers = { authorization: 'ApiKey abc==' };
    expect(requests).toMatchObject([{ path: '/es/logs-*%2Cdocs/_search', headers }]);
    const query = { multi_match: { fields: ['name^3', 'text'] } };
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ query, size: 2 });
  });

  it('sends no credentials where there are none', async () => {
    const { url, requests } = await loopback(found());
    await ask({ url });
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  it('says so where it finds no document', async () => {
    const { url } = await loopback(found());
    expect(await ask({ url })).toBe('No good search result found');
  });

  it('for nothing at all is told to the model without a request', async () => {
    const { url, requests } = await loopback(found());
    expect(await failureOf(ask({ url }, '\n'))).toBeInstanceOf(ToolError);
    expect(requests).toEqual([]);
  });

  const document = { title: '$& {content}', author: { name: 'Ada' }, 'a.b': 1, tags: ['x', 'y'], none: null };
  it.each<{ row: NonNullable<ElasticsearchOptions['row']>; told: string }>([
    { row: '{title}; ', told: '$& {content}; ' },
    { row: '{author.name} {a.b} {tags}', told: 'Ada 1 ["x","y"]' },
    { row: '[{none}{missing}{constructor}{author.x.y}]', told: '[]' },
    { row: '{"t":"{author.name}"} { } {}', told: '{"t":"Ada"} { } {}' },
    { row: ({ tags }) => `${String(tags)}.`, told: 'x,y.' },
  ])('writes a row $row as $told', async ({ row, told }) => {
    const { url } = await loopback(found(document));
    expect(await ask({ url, row })).toBe(told);
  });
});

/** The rules that all JSON services share are proven in search.test.ts. */
describe('a search of an index that fails', () => {
  const says = (status: number, reason: string): LoopbackAnswer => ({ status, body: { error: { reason } } });
  const wrongPassword = says(401, `unable to authenticate with ${PASSWORD}`);
  const hidden = /answered 401 at http.*_search: unable to authenticate with \*\*\*\. Check auth/;
  const noIndex = says(404, 'no such index [summary_section]');
  const atIndex = /no such index \[summary_section\]\. Check url and index/;
  const odd: LoopbackAnswer = { status: 400, body: { error: 'parsing_exception' } };
  const recovering = { reason: 'all shards failed', root_cause: [{ reason: 'shard is recovering' }] };
  const away: LoopbackAnswer = { status: 503, body: { error: recovering } };
  const inPart = (part: object): LoopbackAnswer => ({ body: { ...part, hits: { hits: [] } } });
  const huge = { body: `"${'x'.repeat(10_000_000)}"` };

  it.each<[when: string, answer: LoopbackAnswer, type: string, retryable: boolean, shown: RegExp]>([
    ['the password is wrong', wrongPassword, 'ToolAuthenticationError', false, hidden],
    ['the user may not', { status: 403 }, 'ToolPermissionDenied', false, /that it may read the index/],
    ['there is no such index', noIndex, 'ToolNotFound', false, atIndex],
    ['the query is wrong', odd, 'ToolBadRequest', false, /parsing_exception\. Check index, fields and size/],
    ['the queue is full', says(429, 'rejected'), 'ToolRateLimited', true, /rejected\. If this stays/],
    ['no shard answers', away, 'ToolServerError', true, /503 .*: shard is recovering\.$/],
    [
      'a shard failed',
      inPart({ _shards: { failed: 1 } }),
      'ToolServerError',
      true,
      /a part of the index only/,
    ],
    ['a shard was late', inPart({ timed_out: true }), 'ToolServerError', true, /a part of the index only/],
    ['the answer has no hits', { body: { cluster_name: 'x' } }, 'ToolBadResponse', true, /without hits/],
    ['the answer is too long', huge, 'ToolBadResponse', false, /more than 10 MB/],
  ])('because %s', async (_when, answer, name, retryable, shown) => {
    const { url } = await loopback(answer);
    const error = await failureOf(ask({ url, auth: { username: 'elastic', password: PASSWORD } }));
    expect(error).toMatchObject({ name, retryable, message: expect.stringMatching(shown) });
    expect(error).toMatchObject({ message: expect.stringContaining(`${url}/summary_section/_search`) });
    expect(String(error)).not.toContain(PASSWORD);
  });
});

it.each([
  [{ url: 'localhost:9200' }, 'give one such as'],
  [{ url: 'http://elastic:pw@localhost:9200' }, 'into auth, not into url'],
  [{ index: '' }, 'name an index'],
  [{ auth: { apiKey: '' } }, 'API key is empty'],
  [{ auth: { apiKey: 'a\nb' } }, 'API key is empty, or holds'],
])('%j is refused when the tool is made', (options, says) => {
  expect(() => elasticsearch({ url: 'http://localhost:9200', index: 'i', ...options })).toThrow(says);
});
