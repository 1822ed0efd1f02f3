import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Story,
  TOOL,
  type ToolCall,
  answerOf,
  delegated,
  question,
  stepsOf,
  storyOf,
} from './stories.ts';
import { type ChatMessage, Thread, knowsAll, lastMessage } from './thread.ts';

/** A moment in a run at which a contestant may die. `model …` come once for each request, `effect …` for each call of the tool. */
export const moments = [
  'model asked',
  'model streaming',
  'model answered',
  'effect begun',
  'effect applied',
  'effect answered',
] as const;
/** `between messages`: the client has an answer, and has not sent the next message. `cancel …`: the client's request to cancel the run. */
export type Moment =
  (typeof moments)[number] | 'waiting' | 'between messages' | 'cancel asked' | 'cancel accepted';

/** The services outside of a contestant: a model and a ledger, on one HTTP server. They live as long as the suite. */
export interface World {
  url: string;
  /** Names of the entries that a run has posted, in their order, those twice that were posted twice. */
  effects(run: string): readonly string[];
  /** Whole replies that the model has sent for each step of a run. */
  replies(run: string): ReadonlyMap<string, number>;
  /** Messages of a run that the model was asked to answer. */
  heard(run: string): ReadonlySet<number>;
  /** Answers of the model to requests that lacked an earlier message of the thread, or the answer to it. */
  unknowing(run: string): number;
  /** Called at each moment of a run; `part`: the entry that begins. The service continues when it has returned. */
  onMoment(listener: Listener): void;
  stop(): void;
}

/** Time that the ledger takes. */
const WORK_MS = 20;
/** Time until the client has read an answer. */
const READ_MS = 30;

type Listener = (run: string, moment: Moment, part?: string) => Promise<void> | void;

interface ChatRequest {
  stream?: boolean;
  /** false: one call in each reply. */
  parallel_tool_calls?: boolean;
  messages: ChatMessage[];
  tools?: OfferedTool[];
}

interface OfferedTool {
  function: { name: string; parameters?: { properties?: object; required?: string[] } };
}

export async function startWorld(): Promise<World> {
  const posted = new Map<string, string[]>();
  const byKey = new Map<string, string>();
  const threads = new Map<string, Thread>();
  let listener: Listener = () => undefined;

  async function ask(request: IncomingMessage, response: ServerResponse) {
    const body = JSON.parse(await text(request)) as ChatRequest; // of a client of the protocol
    const { story: name, run, message, step } = lastMessage(body.messages);
    const told = storyOf(name);
    const story = body.parallel_tool_calls === false ? oneByOne(told) : told;
    const thread = threadOf(run);
    thread.hear(message);
    await listener(run, 'model asked');
    const said = reply(story, run, message, step, body.tools);
    const [begin, end] = body.stream === true ? streamed(said) : whole(said);
    response.writeHead(200, {
      'content-type': body.stream === true ? 'text/event-stream' : 'application/json',
    });
    response.write(begin);
    await listener(run, 'model streaming');
    await sleep(WORK_MS);
    const isRead = !response.destroyed;
    response.end(end);
    if (!isRead) return;
    thread.answer(
      `${name}.${message}.${step}`,
      said.finish_reason === 'stop' && !knowsAll(story, message, body.messages),
    );
    await sleep(READ_MS);
    await listener(run, 'model answered');
  }

  async function post(request: IncomingMessage, response: ServerResponse) {
    const { run, part, key } = JSON.parse(await text(request)) as { run: string; part: string; key?: string };
    const [, story = ''] = /^([a-z-]+)\./u.exec(run) ?? [];
    await sleep(WORK_MS);
    const isKnown = key !== undefined && storyOf(story).hasKeys === true && byKey.has(key);
    if (!isKnown) posted.set(run, [...(posted.get(run) ?? []), part]);
    if (key !== undefined) byKey.set(key, part);
    await listener(run, 'effect applied');
    response.end(JSON.stringify({ posted: part }));
    await sleep(READ_MS);
    await listener(run, 'effect answered');
  }

  function threadOf(run: string): Thread {
    const thread = threads.get(run) ?? new Thread();
    threads.set(run, thread);
    return thread;
  }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://world');
    const serve = async () => {
      if (pathname.endsWith('/chat/completions')) return ask(request, response);
      if (pathname === '/entries' && request.method === 'POST') return post(request, response);
      if (pathname === '/begin') {
        await listener(searchParams.get('run') ?? '', 'effect begun', searchParams.get('part') ?? '');
        return response.end('{}');
      }
      // Answers whether an entry has been posted, for a tool that may make its call again.
      const parts = posted.get(searchParams.get('run') ?? '') ?? [];
      return response.end(JSON.stringify({ posted: parts.includes(searchParams.get('part') ?? '') }));
    };
    serve().catch((error: unknown) => {
      if (!response.destroyed) response.writeHead(500).end(String(error));
    });
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo; // of a TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    effects: (run) => posted.get(run) ?? [],
    replies: (run) => threadOf(run).replies,
    heard: (run) => threadOf(run).heard,
    unknowing: (run) => threadOf(run).unknowing,
    onMoment: (next) => {
      listener = next;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The story of a client that turned off parallel calls: each call is a step. */
const oneByOne = (story: Story): Story => ({ ...story, steps: story.steps.flat().map((call) => [call]) });

/** Each reply has an id of its own: clients take two messages of one id for one. */
const head = () => ({ id: `chatcmpl-${randomUUID()}`, created: 0, model: 'durability' });
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

interface Reply {
  message: object;
  finish_reason: 'stop' | 'tool_calls';
}

function reply(
  story: Story,
  run: string,
  message: number,
  step: number,
  tools: OfferedTool[] | undefined,
): Reply {
  const calls = stepsOf(story, message)[step];
  if (calls === undefined)
    return { message: { role: 'assistant', content: answerOf(story, message) }, finish_reason: 'stop' };
  const tool_calls = calls.map((call, index) => ({
    index,
    id: message === 1 ? `call_${step}_${index}` : `call_${message}_${step}_${index}`,
    type: 'function',
    function: called(call, run, tools),
  }));
  return { message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' };
}

/** A sub-agent's tool has the name and the parameter that the client gave it. */
function called({ tool, part }: ToolCall, run: string, tools: readonly OfferedTool[] = []) {
  if (tool === 'post') return { name: TOOL.name, arguments: JSON.stringify({ run, part }) };
  const { name, parameters } = tools[0]?.function ?? { name: tool };
  const [parameter = 'input'] = parameters?.required ?? Object.keys(parameters?.properties ?? {});
  return { name, arguments: JSON.stringify({ [parameter]: question(delegated.name, run, 1) }) };
}

/** A body in two pieces, between which a client has a part of it. */
function whole({ message, finish_reason }: Reply): [string, string] {
  const choices = [{ index: 0, message, finish_reason }];
  const body = JSON.stringify({ ...head(), object: 'chat.completion', choices, usage });
  return [body.slice(0, body.length / 2), body.slice(body.length / 2)];
}

function streamed({ message, finish_reason }: Reply): [string, string] {
  const of = head();
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ ...of, object: 'chat.completion.chunk', ...fields })}\n\n`;
  const begin = chunk({ choices: [{ index: 0, delta: message, finish_reason: null }] });
  const end = [
    chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }),
    chunk({ choices: [], usage }),
    'data: [DONE]\n\n',
  ].join('');
  return [begin, end];
}
