import { fieldOf } from '../../agent/values/values.ts';

/** Capabilities of a client that takes tasks and asks its person. */
export const ALL_ABILITIES = {
  elicitation: { form: {} },
  extensions: { 'io.modelcontextprotocol/tasks': {} },
};

/** A request of MCP 2026-07-28 as it goes over the wire: no session, and no request before it. */
export function mcpRequest(
  method: string,
  params: object = {},
  capabilities: object = ALL_ABILITIES,
): { body: object; headers: { [name: string]: string } } {
  const name = fieldOf(params, 'name') ?? fieldOf(params, 'taskId');
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const own = fieldOf(params, '_meta');
  return {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method,
      params: { ...params, _meta: { ...meta, ...(typeof own === 'object' && own) } },
    },
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    },
  };
}

/** The message in an answer over HTTP, which is JSON or the last event of a stream. */
export function mcpAnswer(text: string): unknown {
  const events = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice('data: '.length));
  return JSON.parse(events.at(-1) ?? text);
}
