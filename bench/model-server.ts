/**
 * The model of the bench: the OpenAI protocol's chat completions over loopback HTTP, without latency. One call of the
 * tool per step, then the answer. Tells its parent its URL; ends with its parent.
 */
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ANSWER, MODEL, TOOL, pause } from './task.ts';

/** The question is near the beginning of a request. */
const HEAD_BYTES = 65_536;
const QUESTION = /Take (\d+) steps/u;
/** Arguments of a call that was made, as JSON within JSON. */
const CALLED = '{\\"step\\":';

/** Time until the answer. */
const delayMs = Number(process.env['BENCH_MODEL_MS'] ?? 0);

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy()); // nobody waits for the answer
});
// A contestant that keeps its connections finds them open.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo; // of a TCP server
  process.send?.({ url: `http://127.0.0.1:${port}/v1` });
});
process.on('disconnect', () => process.exit());

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  await pause(delayMs);
  const sent = { ...reply(body), usage: usageOf(body) };
  if (body.includes('"stream":true')) stream(response, sent);
  else whole(response, sent);
}

interface Reply {
  message: { role: 'assistant'; content: string | null; tool_calls?: object[] };
  finish_reason: 'stop' | 'tool_calls';
}

/** The step after the last one that was called for; nothing is parsed, as requests grow to many hundred KB. */
function reply(body: Buffer): Reply {
  const steps = Number(QUESTION.exec(body.toString('latin1', 0, HEAD_BYTES))?.[1]);
  if (Number.isNaN(steps)) throw new Error('The request does not say how many steps to take.');
  const at = body.lastIndexOf(CALLED);
  const last = at < 0 ? 0 : Number.parseInt(body.toString('latin1', at + CALLED.length, at + 32), 10);
  if (last >= steps) return { message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' };
  const step = last + 1;
  const call = {
    index: 0,
    id: `call_${step}`,
    type: 'function',
    function: { name: TOOL.name, arguments: JSON.stringify({ step }) },
  };
  return { message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' };
}

interface Sent extends Reply {
  usage: object;
}

/** Four characters are a token, as agents reckon: fewer would be the sign of a server that cuts the prompt. */
function usageOf({ length }: Buffer): object {
  const prompt = Math.ceil(length / 4);
  return { prompt_tokens: prompt, completion_tokens: 1, total_tokens: prompt + 1 };
}

const head = { id: 'chatcmpl-bench', created: 0, model: MODEL };

function whole(response: ServerResponse, { message, finish_reason, usage }: Sent): void {
  const choices = [{ index: 0, message, finish_reason }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
}

function stream(response: ServerResponse, { message, finish_reason, usage }: Sent): void {
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...fields })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(
    [
      chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }),
      chunk({ choices: [], usage }),
      'data: [DONE]\n\n',
    ].join(''),
  );
}
