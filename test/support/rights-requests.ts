import type { RouteName } from '../../gateway/access/route-table.ts';
import { mcpRequest } from './mcp-requests.ts';
import { type Sent, type Target, message, question, rpc, tool } from './rights-rig.ts';

const steer =
  (verb: string, body?: object) =>
  ({ run }: Target) => ({
    path: `/runs/${run}/${verb}`,
    ...(body && { body }),
  });

/** A request to each route of the table. `mine`: it names something that belongs to somebody. */
export const requests: { readonly [R in RouteName]: { send(target: Target): Sent; names?: keyof Target } } = {
  'POST /runs': {
    names: 'session',
    send: ({ session }) => ({ path: '/runs', body: { agent: 'desk', input: question(), session } }),
  },
  'GET /runs': { send: () => ({ path: '/runs' }) },
  'GET /runs/{id}': { names: 'run', send: ({ run }) => ({ path: `/runs/${run}` }) },
  'GET /runs/{id}/events': { names: 'run', send: steer('events') },
  'GET /runs/{id}/export': { names: 'run', send: steer('export') },
  'GET /runs/{id}/page': { names: 'run', send: steer('page') },
  'GET /runs/{id}/page/events': { names: 'run', send: steer('page/events') },
  'POST /runs/{id}/decisions': { names: 'run', send: steer('decisions', { type: 'reject', call: '9.9' }) },
  'POST /runs/{id}/messages': { names: 'run', send: steer('messages', { message: 'Hurry.' }) },
  'POST /runs/{id}/pause': { names: 'run', send: steer('pause') },
  'POST /runs/{id}/resume': { names: 'run', send: steer('resume') },
  'POST /runs/{id}/cancel': { names: 'run', send: steer('cancel') },
  'POST /runs/{id}/extend': { names: 'run', send: steer('extend', {}) },
  'POST /runs/{id}/rewind': { names: 'run', send: steer('rewind', { step: 9 }) },
  'POST /runs/{id}/retry': { names: 'run', send: steer('retry', {}) },
  'POST /runs/{id}/fork': { names: 'run', send: steer('fork', { step: 9 }) },
  'POST /deferred': {
    names: 'token',
    send: ({ token }) => ({ path: '/deferred', body: { token, output: 'x' } }),
  },
  'GET /waiting': { send: () => ({ path: '/waiting' }) },
  'GET /waiting/events': { send: () => ({ path: '/waiting/events' }) },
  'GET /sessions': { send: () => ({ path: '/sessions' }) },
  'GET /sessions/{name}': {
    names: 'session',
    send: ({ session }) => ({ path: `/sessions/${session}` }),
  },
  'DELETE /sessions/{name}/messages': {
    names: 'session',
    send: ({ session }) => ({ path: `/sessions/${session}/messages` }),
  },
  'GET /agents': { send: () => ({ path: '/agents' }) },
  'GET /budgets': { send: () => ({ path: '/budgets' }) },
  'POST /budgets/{name}/extend': { send: () => ({ path: '/budgets/none/extend', body: { cost: 1 } }) },
  'POST /ui/:agent/chat': {
    names: 'session',
    send: ({ session: id }) => ({
      path: '/ui/desk/chat',
      body: { id, messages: [{ id: question(), role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }] },
    }),
  },
  'POST /ui/:agent/chat approvals': {
    names: 'approval',
    send: ({ approval: id }) => ({
      path: '/ui/desk/chat',
      body: {
        id: 'x',
        messages: [
          {
            id: 'm',
            role: 'assistant',
            parts: [{ type: 'dynamic-tool', state: 'approval-responded', approval: { id, approved: false } }],
          },
        ],
      },
    }),
  },
  'GET /chat/:agent/caller': { send: () => ({ path: '/chat/desk/caller' }) },
  'GET /ui/:agent/chat/:id/stream': {
    names: 'session',
    send: ({ session }) => ({ path: `/ui/desk/chat/${session}/stream` }),
  },
  'POST /ag-ui/:agent': {
    names: 'session',
    send: ({ session: threadId }) => ({
      path: '/ag-ui/desk',
      body: { threadId, runId: 'r', messages: [{ id: question(), role: 'user', content: 'Hi.' }] },
    }),
  },
  'POST /ag-ui/:agent resume': {
    names: 'approval',
    send: ({ approval: interruptId }) => ({
      path: '/ag-ui/desk',
      body: {
        threadId: 't',
        runId: 'r',
        messages: [],
        resume: [{ interruptId, status: 'resolved', payload: { approved: false } }],
      },
    }),
  },
  'POST /v1/chat/completions': {
    names: 'session',
    send: ({ session }) => ({
      path: '/v1/chat/completions',
      body: { model: 'desk', messages: [{ role: 'user', content: question() }], metadata: { session } },
    }),
  },
  'GET /v1/models': { send: () => ({ path: '/v1/models' }) },
  'POST /v1/responses': {
    names: 'session',
    send: ({ session: conversation }) => ({
      path: '/v1/responses',
      body: { model: 'desk', input: question(), conversation },
    }),
  },
  'POST /v1/responses approvals': {
    names: 'approval',
    send: ({ approval }) => ({
      path: '/v1/responses',
      body: {
        model: 'desk',
        input: [{ type: 'mcp_approval_response', approval_request_id: `mcpr_${approval}`, approve: false }],
      },
    }),
  },
  'POST /v1/responses previous_response_id': {
    names: 'run',
    send: ({ run }) => ({
      path: '/v1/responses',
      body: { model: 'desk', input: question(), previous_response_id: `resp_${run}` },
    }),
  },
  'GET /v1/responses/:id': { names: 'run', send: ({ run }) => ({ path: `/v1/responses/resp_${run}` }) },
  'GET /v1/models/:id': { send: () => ({ path: '/v1/models/desk' }) },
  'GET /v1/responses/:id/input_items': {
    names: 'run',
    send: ({ run }) => ({ path: `/v1/responses/resp_${run}/input_items` }),
  },
  'DELETE /v1/responses/:id': { names: 'run', send: ({ run }) => ({ path: `/v1/responses/resp_${run}` }) },
  'POST /v1/responses/:id/cancel': {
    names: 'run',
    send: ({ run }) => ({ path: `/v1/responses/resp_${run}/cancel` }),
  },
  'POST /mcp': {
    names: 'session',
    send: ({ session }) => ({ path: '/mcp', body: tool('desk', { input: question(), session, wait: 5 }) }),
  },
  'POST /mcp get_run': {
    names: 'run',
    send: ({ run: id }) => ({ path: '/mcp', body: tool('get_run', { id, wait: 0 }) }),
  },
  'POST /mcp decide_on_run': {
    names: 'run',
    send: ({ run: id }) => ({
      path: '/mcp',
      body: tool('decide_on_run', { id, decision: 'reject', call: '9.9' }),
    }),
  },
  'POST /mcp inputResponses': {
    names: 'run',
    send: ({ run: id }) => ({
      path: '/mcp',
      ...mcpRequest('tools/call', {
        name: 'get_run',
        arguments: { id, wait: 0 },
        inputResponses: { '9.9:0': { action: 'decline' } },
      }),
    }),
  },
  'POST /mcp tasks/get': {
    names: 'run',
    send: ({ run: taskId }) => ({ path: '/mcp', ...mcpRequest('tasks/get', { taskId }) }),
  },
  'POST /mcp tasks/update': {
    names: 'run',
    send: ({ run: taskId }) => ({
      path: '/mcp',
      ...mcpRequest('tasks/update', { taskId, inputResponses: { '9.9:0': { action: 'decline' } } }),
    }),
  },
  'POST /mcp tasks/cancel': {
    names: 'run',
    send: ({ run: taskId }) => ({ path: '/mcp', ...mcpRequest('tasks/cancel', { taskId }) }),
  },
  'GET /mcp': { send: () => ({ path: '/mcp' }) },
  'DELETE /mcp': { send: () => ({ path: '/mcp' }) },
  'POST /a2a/:agent': { send: () => ({ path: '/a2a/desk', body: rpc('ListTasks', {}) }) },
  'POST /a2a/:agent SendMessage': {
    names: 'session',
    send: ({ session: contextId }) => ({
      path: '/a2a/desk',
      body: rpc('SendMessage', { message: message({ contextId }) }),
    }),
  },
  'POST /a2a/:agent SendMessage taskId': {
    names: 'run',
    send: ({ run: taskId }) => ({
      path: '/a2a/desk',
      body: rpc('SendMessage', {
        message: message({ taskId, parts: [{ data: { type: 'reject', call: '9.9' } }] }),
      }),
    }),
  },
  'POST /a2a/:agent GetTask': {
    names: 'run',
    send: ({ run: id }) => ({ path: '/a2a/desk', body: rpc('GetTask', { id }) }),
  },
  'POST /a2a/:agent SubscribeToTask': {
    names: 'run',
    send: ({ run: id }) => ({ path: '/a2a/desk', body: rpc('SubscribeToTask', { id }) }),
  },
  'POST /a2a/:agent CancelTask': {
    names: 'run',
    send: ({ run: id }) => ({ path: '/a2a/desk', body: rpc('CancelTask', { id }) }),
  },
  'GET /a2a/:agent/.well-known/agent-card.json': {
    send: () => ({ path: '/a2a/desk/.well-known/agent-card.json' }),
  },
  'GET /.well-known/agent-card.json': { send: () => ({ path: '/.well-known/agent-card.json' }) },
};
