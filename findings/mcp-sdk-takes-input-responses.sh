#!/usr/bin/env bash
# Software: @modelcontextprotocol/server 2.4.0 (npm).
# Guess: a handler of `tasks/update`, a method of the extension io.modelcontextprotocol/tasks, gets the parameters that the
#   extension defines: `taskId` and `inputResponses`. The SDK names the method among those that may be served so.
# What happens: the SDK takes `inputResponses` out of the parameters of every request, for calls that are repeated. A handler
#   with the extension's schema refuses each valid request with -32602. `ctx.mcpReq.inputResponses` has the field.
# Seen on 2026-11-28:
#   required: -32602 Invalid params for tasks/update: inputResponses: Invalid input: expected record, received undefined
#   optional: false true
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @modelcontextprotocol/server@2.4.0 zod@4.6.7 >/dev/null
cat >try.mjs <<'JS'
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { z } from 'zod';

const responses = z.record(z.string(), z.unknown());
const ask = async (params) => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'try', version: '1' });
    server.server.setRequestHandler('tasks/update', { params }, (sent, ctx) => ({
      inParams: sent.inputResponses !== undefined,
      inContext: ctx.mcpReq.inputResponses !== undefined,
    }));
    return server;
  });
  const response = await handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tasks/update',
        'mcp-name': 't1',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tasks/update',
        params: {
          taskId: 't1',
          inputResponses: { k: { action: 'decline' } },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
          },
        },
      }),
    }),
  );
  return response.json();
};
const required = await ask(z.object({ taskId: z.string(), inputResponses: responses }));
const optional = await ask(z.object({ taskId: z.string(), inputResponses: responses.optional() }));
console.log('required:', required.error?.code, required.error?.message);
console.log('optional:', optional.result?.inParams, optional.result?.inContext);
const isAsSeen =
  required.error?.code === -32602 && optional.result?.inParams === false && optional.result?.inContext === true;
process.exit(isAsSeen ? 0 : 1);
JS
node try.mjs
