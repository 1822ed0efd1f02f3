import { z } from 'zod/v4';
import { shownUrl } from '../../../agent/text/shown-url.ts';
import { ServiceError } from '../http/error.ts';
import { type JsonService, askJson } from '../http/json.ts';
import { type Tool, type ToolOptions, ToolError, defineTool } from '../tool.ts';
import { checkWhole } from '../whole-number.ts';
import { madeBy } from '../same-tool.ts';

/** Fields of a document, as it was indexed. */
export interface Document {
  readonly [field: string]: unknown;
}

export interface ElasticsearchOptions extends Partial<ToolOptions> {
  /** URL of the cluster: `https://localhost:9200`. OpenSearch works, too. */
  url: string;
  /** One index, or several with commas and wildcards between them. */
  index: string;
  /** The fields that are searched; `title^3` counts threefold. Default `['content', 'title']`. */
  fields?: readonly string[];
  /** Most documents in an answer, 1 to 10,000. Default 5. */
  size?: number;
  /**
   * Text of a document: a template with `{field}`, or a function. Default `title: {title}, content: {content}` and a
   * new line.
   */
  row?: string | ((document: Document) => string);
  auth?: { username: string; password: string } | { apiKey: string };
}

const defaults = {
  name: 'elasticsearch',
  description: 'Searches our own documents. The input is what to look for, in words.',
  timeout: '30s',
  effects: 'none',
} as const;

/** Elasticsearch gives no more (`index.max_result_window`). */
const MAX_SIZE = 10_000;

const NO_RESULT = 'No good search result found';

/** Looks words up in an Elasticsearch or OpenSearch index (`multi_match`); the output is one row for each document. */
export function elasticsearch({
  url,
  index,
  fields = ['content', 'title'],
  size = 5,
  row = 'title: {title}, content: {content}\n',
  auth,
  ...options
}: ElasticsearchOptions): Tool {
  const endpoint = endpointOf(url, index);
  checkWhole('elasticsearch: size', size, { unit: 'documents', min: 1, max: MAX_SIZE });
  const headers = { 'content-type': 'application/json', ...authorization(auth) };
  const service = cluster(endpoint, auth);
  const write = typeof row === 'string' ? (document: Document) => fill(row, document) : row;
  const tool = defineTool({
    ...defaults,
    ...options,
    async run(query, { signal }) {
      if (query.trim() === '') throw new ToolError('The search was given nothing. Say what to look for.');
      const body = JSON.stringify({ query: { multi_match: { query, fields } }, size });
      const documents = documentsIn(
        await askJson(service, endpoint, { method: 'POST', headers, body }, signal),
        service,
      );
      return documents.length === 0 ? NO_RESULT : documents.slice(0, size).map(write).join('');
    },
  });
  return madeBy(elasticsearch, { url, index, fields, size, row, auth, ...options }, tool);
}

function endpointOf(url: string, index: string): URL {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) {
    throw new Error('elasticsearch: url is not a http(s) address; give one such as https://localhost:9200.');
  }
  const endpoint = new URL(url);
  if (endpoint.username !== '' || endpoint.password !== '') {
    throw new Error('elasticsearch: put user name and password into auth, not into url.');
  }
  if (index === '') throw new Error('elasticsearch: index is empty; name an index, or * for all.');
  endpoint.pathname = `${endpoint.pathname.replace(/\/+$/, '')}/${encodeURIComponent(index)}/_search`;
  return endpoint;
}

function authorization(auth: ElasticsearchOptions['auth']): { [name: string]: string } {
  if (auth === undefined) return {};
  if (!('apiKey' in auth)) return { authorization: `Basic ${basicToken(auth)}` };
  if (/^[\x21-\x7e]+$/.test(auth.apiKey)) return { authorization: `ApiKey ${auth.apiKey}` };
  throw new Error(
    'elasticsearch: the API key is empty, or holds a space, a line break or a character outside ASCII.',
  );
}

function basicToken({ username, password }: { username: string; password: string }): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}

function secretsIn(auth: ElasticsearchOptions['auth']): string[] {
  if (auth === undefined) return [];
  return 'apiKey' in auth ? [auth.apiKey] : [auth.password, basicToken(auth)];
}

function cluster(endpoint: URL, auth: ElasticsearchOptions['auth']): JsonService {
  return {
    name: 'Elasticsearch',
    address: shownUrl(endpoint.href),
    secrets: [...secretsIn(auth), ...endpoint.searchParams.values()],
    complaint: (body) => Complaint.safeParse(body).data?.error,
    advice(status) {
      if (status === 401 || status === 403) return 'Check auth, and that it may read the index.';
      if (status === 404) return 'Check url and index.';
      if (status === 429) return 'If this stays, search less at once.';
      return status < 500 ? 'Check index, fields and size.' : '';
    },
  };
}

const Reason = z.object({ reason: z.string() });

/** `reason` alone may only say that all shards failed, without the cause. */
const Complaint = z.object({
  error: z.union([
    z.string(),
    z
      .object({ ...Reason.shape, root_cause: z.array(Reason).optional() })
      .transform(({ reason, root_cause: causes }) => causes?.[0]?.reason ?? reason),
  ]),
});

const Found = z.object({
  hits: z.object({ hits: z.array(z.object({ _source: z.record(z.string(), z.unknown()).optional() })) }),
  timed_out: z.boolean().optional(),
  _shards: z.object({ failed: z.number() }).optional(),
});

/** Part of the index gives an answer that looks whole: it counts as an error, which may pass. */
function documentsIn(body: unknown, { address }: JsonService): Document[] {
  const found = Found.safeParse(body);
  if (!found.success) {
    const message = `Elasticsearch at ${address} answered without hits. Check that url is that of a cluster.`;
    throw new ServiceError('ToolBadResponse', message, { retryable: true });
  }
  const { hits, timed_out: timedOut = false, _shards: shards } = found.data;
  if (timedOut || (shards?.failed ?? 0) > 0) {
    const message = `Elasticsearch at ${address} searched a part of the index only. Check the cluster's health.`;
    throw new ServiceError('ToolServerError', message, { retryable: true });
  }
  return hits.hits.map(({ _source }) => _source ?? {});
}

/** A field that the document does not have is empty; one that is not text is JSON. */
function fill(row: string, document: Document): string {
  return row.replaceAll(/\{([^{}\s]+)\}/g, (_, path: string) => {
    const value = fieldOf(document, path);
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

/** `author.name` may be stored under that name, or as an object within an object. */
function fieldOf(document: unknown, path: string): unknown {
  if (typeof document !== 'object' || document === null) return undefined;
  const fields = document as Document; // any object
  if (Object.hasOwn(fields, path)) return fields[path];
  const [first = '', ...rest] = path.split('.');
  return rest.length === 0 ? undefined : fieldOf(fields[first], rest.join('.'));
}
