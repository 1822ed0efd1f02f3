import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { POST, isDeployed } from './offered.ts';
import { type Entry, isPosted, modelUrl, needsApproval, postEntry, serve, stateFolder } from './serve.ts';

/**
 * A small runner with a file for each run. It does everything right, and has one fault in each of its mutants: the suite has to find them
 * (test/release/durability.test.ts).
 */

/**
 * '' or: doubles, loses, pays-twice, answers-wrong, forgets, drops-messages, forgets-answers, posts-after-cancel, ignores-cancel, forgets-sub-agents,
 * strands-old-runs, hoards.
 */
const fault = process.env['DURABILITY_FAULT'] ?? '';

interface Message {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

interface Run {
  messages: Message[];
  /** Ids of calls that may have posted. */
  begun: string[];
  deaths: number;
  isApproved?: boolean;
  isCancelled?: boolean;
  /** The program's version that began the run. */
  isLater?: boolean;
  answer?: string | null;
}

/** Bytes that a runner with the fault `hoards` stores for each step. */
const HOARD = 10_000;

const fileOf = (id: string) => join(stateFolder, `${id}.json`);
const load = (id: string): Run | undefined =>
  existsSync(fileOf(id)) ? (JSON.parse(readFileSync(fileOf(id), 'utf8')) as Run) : undefined; // of `save`

const aborts = new Map<string, AbortController>();

/** A run that was cancelled stays so. */
function save(id: string, run: Run): Run {
  const isCancelled = load(id)?.isCancelled === true || run.isCancelled === true;
  writeFileSync(`${fileOf(id)}.new`, JSON.stringify({ ...run, isCancelled }));
  renameSync(`${fileOf(id)}.new`, fileOf(id));
  return run;
}

/** Messages of the thread before this one. */
function earlier(id: string, thread: string): Message[] {
  if (id === thread || fault === 'forgets-answers') return [];
  const number = Number(id.slice(thread.length + 1));
  return load(`${thread}.${number - 1}`)?.messages ?? [];
}

/** Runs that this process works on. A client may ask twice for the same run. */
const working = new Set<string>();

async function work(id: string): Promise<void> {
  if (working.has(id)) return;
  working.add(id);
  try {
    await untilWaiting(id);
  } finally {
    working.delete(id);
  }
}

async function untilWaiting(id: string): Promise<void> {
  for (;;) {
    const run = load(id);
    if (run === undefined || run.answer !== undefined || run.isCancelled === true) return;
    if (fault === 'strands-old-runs' && run.isLater !== isDeployed) return;
    const calls = run.messages.at(-1)?.tool_calls;
    if (calls === undefined) await think(id, run);
    else if (needsApproval(id) && run.isApproved !== true) return;
    else await act(id, run, calls);
  }
}

async function think(id: string, run: Run): Promise<void> {
  const message = await ask(run.messages);
  if (fault === 'pays-twice') await ask(run.messages);
  const answer = fault === 'answers-wrong' && run.deaths > 0 ? 'Something else.' : message.content;
  const isOver = message.tool_calls === undefined;
  save(id, { ...run, messages: [...run.messages, message], ...(isOver ? { answer } : {}) });
}

async function act(id: string, run: Run, calls: NonNullable<Message['tool_calls']>): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  const post = (entry: Entry) =>
    postEntry(entry, undefined, fault === 'posts-after-cancel' ? undefined : abort.signal);
  const results: Message[] = [];
  for (const { id: call, function: of } of calls) {
    if (of.name !== POST.name) {
      const { input } = JSON.parse(of.arguments) as { input: string }; // of the model of world.ts
      results.push({ role: 'tool', tool_call_id: call, content: await delegate(`${id}-${call}`, input) });
      continue;
    }
    const entry = JSON.parse(of.arguments) as Entry; // of the model of world.ts
    const { begun } = load(id) ?? run;
    if (!begun.includes(call)) {
      save(id, { ...run, begun: [...begun, call] });
      await post(entry);
    } else if (fault === 'doubles' || (fault !== 'loses' && !(await isPosted(entry)))) await post(entry);
    results.push({ role: 'tool', tool_call_id: call, content: 'posted' });
  }
  save(id, { ...run, messages: [...run.messages, ...results] });
  if (fault === 'hoards') appendFileSync(`${fileOf(id)}.hoard`, 'a'.repeat(HOARD));
}

/** Has a sub-agent answer, in a run that goes on after a death. */
async function delegate(id: string, content: string): Promise<string> {
  if (load(id) === undefined || fault === 'forgets-sub-agents')
    save(id, { messages: [{ role: 'user', content }], begun: [], deaths: 0 });
  await work(id);
  return load(id)?.answer ?? '';
}

async function ask(messages: readonly Message[]): Promise<Message> {
  const body = JSON.stringify({ model: 'durability', messages });
  const response = await fetch(`${modelUrl}/chat/completions`, { method: 'POST', body });
  const { choices } = (await response.json()) as { choices: [{ message: Message }] }; // of world.ts
  return choices[0].message;
}

serve({
  async start(id, question, thread) {
    const known = load(id);
    if (known !== undefined && fault === 'forgets') return;
    const messages = [...earlier(id, thread), { role: 'user', content: question }];
    const isDropped = fault === 'drops-messages' && id.endsWith('.3') && id !== thread;
    const answer = 'Paid. Message 3.';
    const fresh: Run = { messages, begun: [], deaths: -1, isLater: isDeployed };
    if (isDropped)
      save(id, { ...fresh, messages: [...messages, { role: 'assistant', content: answer }], answer });
    const run = load(id) ?? fresh;
    save(id, { ...run, deaths: run.deaths + 1 });
    void work(id).catch(() => undefined); // its tool was aborted
  },
  async read(id) {
    const run = load(id);
    if (typeof run?.answer === 'string') return { state: 'done', answer: run.answer };
    if (run?.isCancelled === true) return { state: 'cancelled' };
    const isAsking = needsApproval(id) && run?.isApproved !== true && run?.messages.at(-1)?.tool_calls;
    return isAsking ? { state: 'waiting', reason: 'approval' } : { state: 'running' };
  },
  async approve(id) {
    const run = load(id);
    if (run === undefined || run.isApproved === true) return;
    save(id, { ...run, isApproved: true });
    void work(id);
  },
  async cancel(id) {
    const run = load(id);
    if (run === undefined || fault === 'ignores-cancel') return;
    save(id, { ...run, isCancelled: true });
    aborts.get(id)?.abort();
  },
});
