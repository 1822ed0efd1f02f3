import { bareServer } from './model-calls.ts';

/** A request of a client, with the fields that tests look at. */
export interface SentRequest {
  method: string;
  params: { [field: string]: unknown };
}

export interface Server2026 {
  url: string;
  /** Requests so far, without those that list the tools. */
  sent: SentRequest[];
  /** Requests of the method, so far. */
  sentBy(method: string): SentRequest['params'][];
}

/** Answer to a request: a result, a JSON-RPC error, or a status. */
export type Answer2026 = object | { error: object } | number | undefined;

/**
 * An MCP server of revision 2026-07-28 by hand, which refuses older ones. `answers`: by method; `tools/call` also by the tool's name. `input_required`
 * and `task` are results like any.
 */
export async function server2026(
  tools: readonly string[],
  answers: { [method: string]: (params: { [field: string]: unknown }) => Answer2026 | Promise<Answer2026> },
): Promise<Server2026> {
  const sent: SentRequest[] = [];
  const known: typeof answers = {
    'server/discover': () => ({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
    }),
    'tools/list': () => ({
      tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })),
      ttlMs: 0,
      cacheScope: 'private',
    }),
    ...answers,
  };
  const url = await bareServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      const { id, method, params = {} } = JSON.parse(body || '{}') as Partial<SentRequest> & { id?: number }; // by the SDK
      if (method === undefined) return void response.writeHead(405).end();
      if (!/^(?:server\/discover|tools\/list)$/u.test(method)) sent.push({ method, params });
      const unknown = { error: { code: -32_022, message: 'old', data: { supported: ['2026-07-28'] } } };
      void Promise.resolve((known[method] ?? (() => unknown))(params)).then((answer) => {
        if (answer === undefined) return;
        if (typeof answer === 'number') return void response.writeHead(answer).end();
        const isError = Object.keys(answer).join() === 'error';
        const reply = isError ? answer : { result: { resultType: 'complete', ...answer } };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
      });
    });
  });
  const sentBy = (wanted: string) =>
    sent.flatMap(({ method, params }) => (method === wanted ? [params] : []));
  return { url, sent, sentBy };
}

export const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

/** A question in a result of the type `input_required`, or of a task. */
export function formRequest(message: string, field = 'count') {
  const requestedSchema = { type: 'object', properties: { [field]: { type: 'integer' } }, required: [field] };
  return { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema } };
}
