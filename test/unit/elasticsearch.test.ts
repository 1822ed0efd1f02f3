import { describe, expect, it } from 'vitest';
import { type ElasticsearchOptions, elasticsearch } from '../../tools/search/elasticsearch.ts';
import { ToolError } from '../../tools/tool.ts';
import { type LoopbackAnswer, deadHost, failureOf, loopback } from '../support/loopback.ts';
import { toolContext } from '../support/tool-context.ts';

const PASSWORD = 'elastic-secret';

function ask(options: Partial<ElasticsearchOptions>, query = 'TMT', signal?: AbortSignal) {
  const tool = elasticsearch({ url: '', index: 'summary_section', ...options });
  return tool.run(tool.parseInput(query) as never, toolContext(signal === undefined ? {} : { signal }));
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
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/summary_section/_search',
        headers: {
          'content-type': 'application/json',
          authorization: `Basic ${Buffer.from(`elastic:${PASSWORD}`).toString('base64')}`,
        },
      },
    ]);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      query: { multi_match: { query: '清洁和TMT行业', fields: ['content', 'title'] } },
      size: 5,
    });
  });

  it('takes other fields, another size, an API key, several indices, and a path before them', async () => {
    const { url, requests } = await loopback(found());
    const options = { fields: ['name^3', 'text'], size: 2, index: 'logs-*,docs', auth: { apiKey: 'abc==' } };
    await ask({ url: `${url}/es/`, ...options });
    expect(requests).toMatchObject([
      { path: '/es/logs-*%2Cdocs/_search', headers: { authorization: 'ApiKey abc==' } },
    ]);
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({
      query: { multi_match: { fields: ['name^3', 'text'] } },
      size: 2,
    });
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

describe('a search of an index that fails', () => {
  const noIndex = { type: 'index_not_found_exception', reason: 'no such index [summary_section]' };
  it.each<{ when: string; answer: LoopbackAnswer; type: string; retryable: boolean; says: RegExp }>([
    {
      when: 'the password is wrong',
      answer: { status: 401, body: { error: { reason: `unable to authenticate with ${PASSWORD}` } } },
      type: 'ToolAuthenticationError',
      retryable: false,
      says: /answered 401 at http.*_search: unable to authenticate with \*\*\*\. Check auth/,
    },
    {
      when: 'the user may not read the index',
      answer: { status: 403 },
      type: 'ToolPermissionDenied',
      retryable: false,
      says: /that it may read the index/,
    },
    {
      when: 'there is no such index',
      answer: { status: 404, body: { error: noIndex, status: 404 } },
      type: 'ToolNotFound',
      retryable: false,
      says: /no such index \[summary_section\]\. Check url and index/,
    },
    {
      when: 'the query is wrong',
      answer: { status: 400, body: { error: 'parsing_exception' } },
      type: 'ToolBadRequest',
      retryable: false,
      says: /parsing_exception\. Check index, fields and size/,
    },
    {
      when: 'the address redirects',
      answer: { status: 302, headers: { location: 'https://a.example/login?next=1' } },
      type: 'ToolBadResponse',
      retryable: false,
      says: /It leads to https:\/\/a\.example\/login:/,
    },
    {
      when: 'something was created instead',
      answer: { ...found(article), status: 201 },
      type: 'ToolBadResponse',
      retryable: false,
      says: /answered 201/,
    },
    {
      when: 'the queue of the cluster is full',
      answer: { status: 429, body: { error: { reason: 'rejected execution' } } },
      type: 'ToolRateLimited',
      retryable: true,
      says: /rejected execution\. If this stays/,
    },
    {
      when: 'no shard answers',
      answer: {
        status: 503,
        body: { error: { reason: 'all shards failed', root_cause: [{ reason: 'shard is recovering' }] } },
      },
      type: 'ToolServerError',
      retryable: true,
      says: /503 .*: shard is recovering\.$/,
    },
    {
      when: 'some shards do not answer',
      answer: { body: { _shards: { failed: 1 }, hits: { hits: [] } } },
      type: 'ToolServerError',
      retryable: true,
      says: /a part of the index only/,
    },
    {
      when: 'the search takes too long',
      answer: { body: { timed_out: true, hits: { hits: [] } } },
      type: 'ToolServerError',
      retryable: true,
      says: /a part of the index only/,
    },
    {
      when: 'the answer is not JSON',
      answer: { body: '<html>proxy</html>' },
      type: 'ToolBadResponse',
      retryable: true,
      says: /no JSON: <html>proxy/,
    },
    {
      when: 'the answer has no hits',
      answer: { body: { cluster_name: 'x' } },
      type: 'ToolBadResponse',
      retryable: true,
      says: /without hits/,
    },
    {
      when: 'the answer is too long',
      answer: { body: `"${'x'.repeat(10_000_000)}"` },
      type: 'ToolBadResponse',
      retryable: false,
      says: /more than 10 MB/,
    },
    {
      when: 'the connection breaks',
      answer: { body: '{"hits":', fault: 'break' },
      type: 'ToolConnectionError',
      retryable: true,
      says: /The connection to Elasticsearch at http.* failed/,
    },
  ])('because $when: $type, retryable: $retryable', async ({ answer, type, retryable, says }) => {
    const { url } = await loopback(answer);
    const error = await failureOf(ask({ url, auth: { username: 'elastic', password: PASSWORD } }));
    expect(error).toMatchObject({ name: type, retryable, message: expect.stringMatching(says) });
    expect(error).toMatchObject({ message: expect.stringContaining(`${url}/summary_section/_search`) });
    expect(String(error)).not.toContain(PASSWORD);
  });

  it('because nobody listens may be tried again', async () => {
    const error = await failureOf(ask({ url: `http://${await deadHost()}` }));
    expect(error).toMatchObject({ name: 'ToolConnectionError', retryable: true });
  });

  it('because its time is over rejects with the reason of the signal', async () => {
    const { url } = await loopback({ fault: 'hang' });
    const error = await failureOf(ask({ url }, 'q', AbortSignal.timeout(50)));
    expect(error).toMatchObject({ name: 'TimeoutError' });
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
