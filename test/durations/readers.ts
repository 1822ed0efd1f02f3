import OpenAI from 'openai';
import { type Json, asText } from '../../agent/values/vocabulary.ts';
import { type Bench, type Row, questionOf, start } from './row.ts';
import { type Task, timesBegun } from './task.ts';

type Read = (bench: Bench, task: Task, agent: string) => Promise<string>;

const openai = ({ gateway }: Bench) => new OpenAI({ baseURL: `${gateway}/v1`, apiKey: 'x' });
const ask = (task: Task) => [{ role: 'user' as const, content: questionOf(task) }];

async function post(url: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Texts of a field in server-sent events, joined. */
async function joined(response: Response, field: RegExp): Promise<string> {
  const text = await response.text();
  return [...text.matchAll(field)].map(([, value]) => JSON.parse(`"${value}"`) as string).join('');
}

const readers: { [name: string]: Read } = {
  result: async ({ client }, task, agent) => asText((await client.run(agent, questionOf(task))).output),
  async events({ client }, task, agent) {
    const run = await start(client, agent, task);
    let output: Json | undefined;
    for await (const event of run.events()) if (event.type === 'run_ended') output = event.output;
    return asText(output ?? null);
  },
  async 'chat completion'(bench, task, model) {
    const { choices } = await openai(bench).chat.completions.create({ model, messages: ask(task) });
    return choices[0]?.message.content ?? '';
  },
  async 'chat stream'(bench, task, model) {
    let text = '';
    const stream = await openai(bench).chat.completions.create({ model, messages: ask(task), stream: true });
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    return text;
  },
  response: async (bench, task, model) =>
    (await openai(bench).responses.create({ model, input: questionOf(task) })).output_text,
  async 'response stream'(bench, task, model) {
    const stream = openai(bench).responses.stream({ model, input: questionOf(task) });
    return (await stream.finalResponse()).output_text;
  },
  async 'A2A SendMessage'({ gateway }, task, agent) {
    const message = { messageId: task.key, role: 'ROLE_USER', parts: [{ text: questionOf(task) }] };
    const body = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
    const answer = (await (await post(`${gateway}/a2a/${agent}`, body)).json()) as {
      result?: { task: { artifacts?: { parts: { text: string }[] }[] } };
    };
    return answer.result?.task.artifacts?.[0]?.parts[0]?.text ?? JSON.stringify(answer);
  },
  async useChat({ gateway }, task, agent) {
    const messages = [{ id: task.key, role: 'user', parts: [{ type: 'text', text: questionOf(task) }] }];
    const response = await post(`${gateway}/ui/${agent}/chat`, { id: task.key, messages });
    return joined(response, /"type":"text-delta"[^}]*"delta":"((?:[^"\\]|\\.)*)"/gu);
  },
};

const answers = Object.entries(readers).map(([name, read]): Row => ({
  name: `read by ${name}`,
  task: { tool: 'plain', end: 'answer' },
  expected: ({ key }) => `answer: did ${key}; begun 1`,
  run: async (bench, task) => `${await read(bench, task, 'caller')}; begun ${timesBegun(task.key)}`,
}));

/** Until then a response is held back, and has a status of its own. */
const HELD_BACK_MS = 20_000;

/** A failure is told once, whatever the client thinks of its status. */
const failures = (['chat completion', 'chat stream'] as const).map((name): Row => ({
  name: `${name} of a run that fails`,
  task: { tool: 'silent', end: 'error' },
  expected: () => 'RunFailed with the status of its time; begun 1',
  async run({ gateway }, task) {
    const body = { model: 'silent', messages: ask(task), stream: name === 'chat stream' };
    const from = performance.now();
    const response = await post(`${gateway}/v1/chat/completions`, body);
    const [, code = 'no code'] = /"code":"(\w+)"/u.exec(await response.text()) ?? [];
    const isLate = performance.now() - from >= HELD_BACK_MS;
    const fitsTime = response.status === 400 ? task.seconds < 60 : response.status === 200 && isLate;
    const fits = fitsTime ? 'the status of its time' : `${response.status}`;
    return `${code} with ${fits}; begun ${timesBegun(task.key)}`;
  },
}));

export const readerRows: readonly Row[] = [...answers, ...failures];
