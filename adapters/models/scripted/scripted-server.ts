import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { fieldsOf, parseJson } from '../../../agent/values/json-object.ts';
import type { Json, JsonObject } from '../../../agent/values/vocabulary.ts';
import {
  type RecordedRequest,
  type Script,
  type ScriptedReply,
  type StepReplies,
  complaint,
  scriptReader,
} from './script.ts';
import { partText, withoutMediaBytes } from './recorded-media.ts';
import { sendReply } from './wire.ts';

export interface ScriptedServerOptions {
  /** Default: a free one. */
  port?: number;
  /** Replies for single steps by name, tool calls' own requests among them: `{ '3.1': '…' }`. */
  calls?: StepReplies;
}

export interface ScriptedServer {
  /** Value for OPENAI_BASE_URL: `http://127.0.0.1:PORT/v1`. */
  url: string;
  /** Every request so far, oldest first; also the refused ones. */
  requests: RecordedRequest[];
  /** Lets the process end although the server is open. */
  unref(): void;
  /** Breaks open connections, then closes. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';

/**
 * A model server that says what a script says, in the OpenAI protocol, on the loopback interface. Takes
 * `/v1/chat/completions` and `/v1/completions`; streams if the request asks for it; honours `stop`. A request with the
 * header `x-reloop-step: 3` gets an array's third entry, however often it asks; others get the entries in order.
 */
export async function startScriptedServer(
  script: Script,
  options: ScriptedServerOptions = {},
): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const replyTo = scriptReader(script, options.calls);
  const sockets = new Set<Socket>();
  let held = true;
  let closing = false;

  const server = createServer((incoming, response) => {
    // If a request's body never came whole, the client is gone.
    serve(incoming, response).catch(() => response.destroy());
  });
  // A client must never find its idle connection closed: that would be a fault that no script asked for.
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    if (!held) socket.unref();
  });

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(incoming);
    const request = record(incoming, body, requests.length + 1);
    requests.push(request);
    const gone = new AbortController();
    response.once('close', () => {
      request.aborted = request.endedAt === undefined && !closing;
      gone.abort();
    });
    try {
      const reply = refusalOf(incoming, request) ?? (await replyTo(request));
      await sendReply({ request, response, signal: gone.signal }, reply);
    } finally {
      request.endedAt = Date.now();
    }
  }

  const port = await listen(server, options.port ?? 0);
  return {
    url: `http://${HOST}:${port}/v1`,
    requests,
    unref() {
      held = false;
      server.unref();
      for (const socket of sockets) socket.unref();
    },
    close() {
      closing = true;
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function record(incoming: IncomingMessage, text: string, number: number): RecordedRequest {
  const body = withoutMediaBytes(fieldsOf(parseJson(text)));
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  if (headers['authorization'] !== undefined) headers['authorization'] = 'Bearer ***';
  return {
    number,
    path: incoming.url ?? '',
    body,
    prompt: promptOf(body),
    headers,
    step: headers['x-reloop-step'],
    startedAt: Date.now(),
    endedAt: undefined,
    aborted: false,
  };
}

function promptOf({ prompt, messages }: JsonObject): string {
  if (!Array.isArray(messages)) return typeof prompt === 'string' ? prompt : '';
  return messages.map(contentOf).join('\n');
}

function contentOf(message: Json): string {
  const { content } = fieldsOf(message);
  if (Array.isArray(content)) return content.map(partText).join('\n');
  return typeof content === 'string' ? content : '';
}

/** Refusal of a request that no script can answer. */
function refusalOf({ method }: IncomingMessage, { path, body }: RecordedRequest): ScriptedReply | undefined {
  const field = FIELD_OF_PATH[path];
  if (method !== 'POST' || field === undefined) {
    return {
      ...complaint(`No ${method} ${path} here: only POST ${Object.keys(FIELD_OF_PATH).join(' and ')}.`),
      status: 404,
    };
  }
  return body[field] === undefined ? complaint(`The request to ${path} has no "${field}".`) : undefined;
}

const FIELD_OF_PATH: { [path: string]: string } = {
  '/v1/chat/completions': 'messages',
  '/v1/completions': 'prompt',
};

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, HOST);
  await once(server, 'listening');
  // A TCP server's address is always the object form.
  return (server.address() as AddressInfo).port;
}
