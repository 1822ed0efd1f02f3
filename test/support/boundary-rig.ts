import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeConnection } from '@temporalio/worker';
import { createWorker } from 'reloop';
import type { RunEvent } from '../../agent/run/events.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import type { RunReport } from '../../client/report.ts';
import type { WaitingReason } from '../../agent/rules/wait-reasons.ts';
import type { RecordedRequest, ScriptEntry } from '../../features/testing/index.ts';
import type { Noted } from '../fixtures/boundaries.config.ts';
import { type Command, reloop } from './cli.ts';
import { linesOf, startCrashRig } from './crash-rig.ts';
import { eventOf } from './rig.ts';
import { act, answer } from './scripts.ts';
import { allOf } from './all-of.ts';

/** Runs that each lose their worker at a boundary of their own, and go on with another one. */

/** A run, as the row that steers it sees it. */
export interface Steered {
  run: AgentRun;
  /** When a call waits for a person. */
  waiting(call: string, reason?: WaitingReason): Promise<unknown>;
  /** When the model has been asked for a step. */
  asked(step: string): Promise<unknown>;
  /** When a tool has begun. */
  begun(call: string): Promise<Noted>;
  /** When a watcher has seen an event. */
  seen(type: RunEvent['type'], call?: string): Promise<unknown>;
  /** Throws when the run is in another state. */
  is(status: RunReport['status']): Promise<void>;
}

export interface Boundary {
  /** What the worker dies at, as the end of a sentence. */
  when: string;
  agent?: string;
  /** Tool and input of each step; several of one turn for an agent that calls tools side by side. */
  script: readonly (readonly [tool: string, input: string])[];
  /** Where the worker ends itself (boundaries.config.ts); without, it is killed when `before` is over. */
  diesAt?: string;
  /** Where the first worker goes no further. */
  holdsAt?: string;
  /** The step that the model does not answer while the first worker lives; `text`: it breaks off in its reply. */
  hangsAt?: { step: string; text?: string };
  before?(steered: Steered): Promise<unknown>;
  /** With the next worker. */
  after?(steered: Steered): Promise<unknown>;
}

export interface Played {
  report: RunReport;
  /** What each watcher saw that was there from the beginning on, and what one sees who comes when all is over. */
  watched: RunEvent[][];
  recorded: RunEvent[];
  /** Each request that the model got: the step that it was for, and what it was shown of the steps before. */
  asked: { step: string; observations: string[]; prompt: string }[];
  noted: Noted[];
}

export interface BoundaryRig {
  play(id: string, boundary: Boundary): Promise<Played>;
  stop(): Promise<void>;
}

const CONFIG = 'test/fixtures/boundaries.config.ts';
/** A run is continued as new when its second step is over. */
const CONTINUED_EARLY = ['--dynamic-config-value', 'limit.historyCount.suggestContinueAsNew=24'];
const WATCHERS = 3;
/** Several heartbeat time-outs, on a machine that has much else to do. */
const LIMIT_MS = 240_000;

export async function startBoundaryRig(): Promise<BoundaryRig> {
  const boundaries = new Map<string, Boundary>();
  const held = new Set<string>();
  const rig = await startCrashRig({
    config: CONFIG,
    flags: CONTINUED_EARLY,
    replies(request) {
      const [, id = ''] = /Row (\S+?)\./u.exec(request.prompt) ?? [];
      const boundary = boundaries.get(id);
      return boundary === undefined ? answer(`no row ${id}`) : replyOf(boundary, held.has(id), request);
    },
  });
  const record = join(rig.folder, 'noted');
  // The later workers are in this process: a start of the command takes the processor longer than a row does.
  const env = { OPENAI_BASE_URL: rig.model.url, CRASH_RECORD: record };
  Object.assign(process.env, env);
  const { default: config } = await import('../fixtures/boundaries.config.ts');
  const connection = await NativeConnection.connect({ address: rig.server.address });
  const doomed: Command[] = [];
  const askedOf = (id: string) =>
    rig.model.requests
      .filter(({ prompt }) => prompt.includes(`Row ${id}.`))
      .map((request) => ({
        step: stepOf(request),
        observations: observationsIn(request),
        prompt: request.prompt,
      }));
  const notedOf = (root: string) =>
    linesOf(record)
      .map((line) => JSON.parse(line) as Noted) // boundaries.config.ts wrote it
      .filter((noted) => noted.root === root);

  return {
    play: (id, boundary) => within(LIMIT_MS, id, () => play(id, boundary)),
    async stop() {
      await Promise.all(doomed.map((worker) => worker.killGroup()));
      for (const name of Object.keys(env)) delete process.env[name];
      await connection.close();
      await rig.stop();
    },
  };

  async function play(id: string, boundary: Boundary): Promise<Played> {
    boundaries.set(id, boundary);
    held.add(id);
    const worker = startDoomed(id, boundary);
    const run = await rig.client.start(boundary.agent ?? 'doer', `Row ${id}.`, { id, taskQueue: id });
    const watchers = Array.from({ length: WATCHERS }, () => allOf(run.events()));
    for (const watcher of watchers) watcher.catch(() => undefined); // looked at when the row is over
    const steered = steer(run, { askedOf, notedOf });
    const before = settled(boundary.before?.(steered));
    if (boundary.diesAt === undefined) (await before)();
    else await Promise.race([worker.exit, survived(run, boundary.diesAt)]);
    await worker.killGroup();
    if (worker.child.signalCode !== 'SIGKILL')
      throw new Error(`The worker ended by itself: ${worker.stderr()}`);
    held.delete(id);

    const next = await createWorker(config, { connection, taskQueue: id });
    const running = next.run();
    try {
      (await before)();
      await boundary.after?.(steered);
      const watched = await Promise.all(watchers);
      const recorded = await allOf(run.events({ live: false, follow: false }));
      return {
        report: await run.describe(),
        watched,
        recorded,
        asked: askedOf(id),
        noted: notedOf(rootOf(recorded)),
      };
    } finally {
      next.shutdown();
      await running;
    }
  }

  function startDoomed(id: string, { diesAt = '', holdsAt = '' }: Boundary): Command {
    const args = ['worker', '--address', rig.server.address, '--config', CONFIG, '--task-queue', id];
    const worker = reloop(args, { ...env, CRASH_AT: diesAt, HOLD_AT: holdsAt });
    doomed.push(worker);
    return worker;
  }
}

/** The model says what its script has for the observations that it is shown. */
function replyOf({ agent, script, hangsAt }: Boundary, held: boolean, request: RecordedRequest): ScriptEntry {
  const seen = observationsIn(request).length;
  if (held && hangsAt !== undefined && hangsAt.step === stepOf(request)) {
    return { hang: true, ...(hangsAt.text === undefined ? {} : { chunks: hangsAt.text.split(/(?= )/u) }) };
  }
  if (agent === 'twofold') {
    if (seen > 0) return 'all done';
    return { toolCalls: script.map(([name, input]) => ({ name, arguments: { input } })) };
  }
  const next = script[seen];
  return next === undefined ? answer('all done') : act(...next);
}

function stepOf(request: RecordedRequest): string {
  const seen = observationsIn(request).length;
  return String(isChat(request) ? Math.min(seen, 1) + 1 : seen + 1);
}

/** What the model is shown of the steps so far; the instructions before the question name the word too. */
function observationsIn(request: RecordedRequest): string[] {
  const { body, prompt } = request;
  if (isChat(request)) {
    const messages = body['messages'] as { role: string; content: string }[]; // as the OpenAI protocol has them
    return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
  }
  const steps = prompt.slice(prompt.lastIndexOf('Question:'));
  return [...steps.matchAll(/^Observation: (.*)$/gmu)].map(([, text = '']) => text);
}

/** Of an agent that calls tools, whose turns have several. */
function isChat({ body }: RecordedRequest): boolean {
  return body['tools'] !== undefined;
}

interface Looks {
  askedOf(id: string): Played['asked'];
  notedOf(root: string): Noted[];
}

function steer(run: AgentRun, { askedOf, notedOf }: Looks): Steered {
  const events = () => run.events({ live: false });
  return {
    run,
    waiting: (call, reason) =>
      eventOf(
        events(),
        'waiting',
        ({ wait }) => wait.call === call && (reason === undefined || wait.reason === reason),
      ),
    asked: (step) => found(() => askedOf(run.id).find((request) => request.step === step)),
    async begun(call) {
      const { runId } = await eventOf(events(), 'run_started');
      return found(() => notedOf(runId).find((noted) => noted.call === call));
    },
    async is(status) {
      const { status: found } = await run.describe();
      if (found !== status) throw new Error(`The run is ${found}, not ${status}.`);
    },
    seen: (type, call) =>
      eventOf(run.events(), type, (event) => call === undefined || callOf(event) === call),
  };
}

function callOf(event: RunEvent): string | undefined {
  if (event.type === 'step') return event.step.call;
  return 'call' in event ? event.call : undefined;
}

async function found<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const value = look();
    if (value !== undefined) return value;
    await sleep(20);
  }
}

function rootOf([first]: RunEvent[]): string {
  return first?.type === 'run_started' ? first.runId : '';
}

/** Its error is thrown where it is looked at, and is nobody's before. */
function settled(promise: Promise<unknown> | undefined): Promise<() => void> {
  return Promise.resolve(promise).then(
    () => () => undefined,
    (error: unknown) => () => {
      throw error;
    },
  );
}

async function survived(run: AgentRun, place: string): Promise<never> {
  await run.result().catch(() => undefined);
  throw new Error(`The run has ended, and no worker died at "${place}".`);
}

/** A row that does not end says so, and the others are not held up. */
async function within<T>(ms: number, id: string, use: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const late = sleep(ms, undefined, { signal: over.signal }).then(() => {
    throw new Error(`Row ${id} has not ended in ${ms / 1000} s.`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([use(), late]);
  } finally {
    over.abort();
  }
}
