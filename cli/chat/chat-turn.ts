import { workflowOfCall } from '../../agent/calls/call-path.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { type WaitingCall, needsPerson } from '../../agent/rules/waiting.ts';
import { RunView } from '../../agent/views/view.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { typedCommand } from '../../client/connect/cli-name.ts';
import { type RunReport, reportOf } from '../../client/report.ts';
import { describeQueued } from '../connection/ask-in-session.ts';
import { warnWithoutWorker } from '../connection/command-worker.ts';
import { type PrintedFailures, createPrintedFailures, errorLine } from '../print/run-error.ts';
import { exitCodes, failureOf } from '../shell/io.ts';
import type { Chat, ServedQueue } from './chat.ts';
import { type RunAtWork, cancelRun, commandIn, runCommand } from './chat-commands.ts';
import type { ChatEvent } from './chat-events.ts';
import { takesHistory } from './chat-session.ts';
import { type ChatTrace, createChatTrace } from './chat-trace.ts';
import { isDecision, promptLines, readDecision } from './decision-prompt.ts';

/** Result of following a run. */
export type TurnEnd =
  /** `error`: the line that says why the run failed. */
  | { type: 'over'; report: RunReport; error: string | undefined }
  | { type: 'detached' }
  | { type: 'lost'; error: unknown }
  | { type: 'leave'; code: number };

interface ChatTurn extends RunAtWork {
  number: number;
  queue: ServedQueue;
  view: RunView;
  trace: ChatTrace;
  printed: PrintedFailures;
  /** Resolves when the run exists: in a conversation it may have to wait for its turn. */
  started: Promise<AgentRun>;
  /** Earlier events are repeated up to the restart of the run: they are not shown. */
  silent: boolean;
  /** The prompt asks whether to detach, cancel or continue. */
  leaving: boolean;
  /** The call that the prompt asks about. */
  offered: WaitingCall | undefined;
  /** Waits that were decided here. */
  decided: Set<string>;
}

/**
 * Shows a run under way, and reacts to typed lines. `begin` resolves when the run exists. `again`: the run restarts, and its earlier steps
 * have been shown.
 */
export async function followTurn(
  chat: Chat,
  id: string,
  queue: ServedQueue,
  begin: () => Promise<AgentRun>,
  { again = false }: { again?: boolean } = {},
): Promise<TurnEnd> {
  const turn = newTurn(chat, id, queue, begin());
  turn.silent = again;
  const stop = queueEvents(chat, turn);
  try {
    for (;;) {
      const remember = !turn.leaving && turn.offered === undefined;
      chat.terminal.prompt(promptOf(chat, turn), { remember });
      const end = await react(chat, turn, await chat.events.take());
      if (end !== undefined) return end;
    }
  } finally {
    stop();
    turn.trace.end();
  }
}

function newTurn(chat: Chat, id: string, queue: ServedQueue, started: Promise<AgentRun>): ChatTurn {
  const { terminal, config, agent, events } = chat;
  const number = ++chat.turns;
  const decided = new Set<string>();
  const plain = config?.loaded.manifest(agent, {})?.kind === 'tool-calling';
  const decidedHere = (call: string) => [...decided].some((wait) => wait.startsWith(`${call} `));
  return {
    number,
    queue,
    started,
    run: queue.context.client.get(id),
    view: new RunView(id),
    trace: createChatTrace(terminal, { decidedHere, plain }),
    printed: createPrintedFailures(),
    silent: false,
    leaving: false,
    offered: undefined,
    decided,
    send(request, words, wait) {
      started.then(request).then(
        () => events.put({ type: 'acted', turn: number, words, wait }),
        (error: unknown) => events.put({ type: 'refused', turn: number, error, wait }),
      );
    },
  };
}

/** Puts the run's events into the queue of the chat; returns the function that ends that. */
function queueEvents({ events }: Chat, turn: ChatTurn): () => void {
  const { number, started, queue } = turn;
  const { context, taskQueue } = queue;
  const left = new AbortController();
  const broken = (error: unknown) => events.put({ type: 'broken', turn: number, error });
  const read = async () => {
    const run = await started;
    for await (const event of run.events({ subAgents: true, signal: left.signal }))
      events.put({ type: 'event', turn: number, event });
    events.put({ type: 'over', turn: number });
  };
  read().catch(broken);
  context.workerFailed.catch(broken);
  const stopWarning = warnWithoutWorker(context, () => Promise.resolve({ taskQueue, open: true }));
  return () => {
    left.abort();
    stopWarning();
  };
}

async function react(chat: Chat, turn: ChatTurn, event: ChatEvent): Promise<TurnEnd | undefined> {
  const { terminal } = chat;
  if ('turn' in event && event.turn !== turn.number) return undefined;
  switch (event.type) {
    case 'line':
      return typedInTurn(chat, turn, event.text);
    case 'interrupt':
      if (turn.leaving) return detach(chat, turn);
      turn.leaving = true;
      return undefined;
    case 'end':
      chat.detached.add(turn.run.id);
      return { type: 'leave', code: exitCodes.answered };
    case 'terminated':
      chat.detached.add(turn.run.id);
      return { type: 'leave', code: exitCodes.terminated };
    case 'event':
      showEvent(chat, turn, event.event);
      return undefined;
    case 'over':
      return over(turn);
    case 'broken':
      return { type: 'lost', error: event.error };
    case 'acted':
      terminal.write([terminal.colors.dim(`  ${event.words}`)]);
      return undefined;
    case 'refused':
      terminal.write([terminal.colors.red(`  ${failureOf(event.error).line}`)]);
      if (event.wait !== undefined) turn.decided.delete(event.wait);
      offerNext(chat, turn);
      return undefined;
  }
}

function over({ view, printed }: ChatTurn): TurnEnd {
  const report = reportOf(view);
  return { type: 'over', report, error: errorLine(report, printed) };
}

function showEvent(chat: Chat, turn: ChatTurn, event: RunEvent): void {
  if (event.type === 'restarted') turn.silent = false;
  if (event.within === undefined) {
    turn.view.add(event);
    if (event.type === 'run_started') chat.begun ||= takesHistory(chat.config, chat.agent);
  }
  if (!turn.silent) {
    turn.trace.print(event);
    turn.printed.add(event);
  }
  offerNext(chat, turn);
}

/** Asks about the next call that waits, once, when all recorded events are known. */
function offerNext({ terminal }: Chat, turn: ChatTurn): void {
  if (!turn.view.isCaughtUp) return;
  const open = undecided(turn).filter(needsPerson);
  const { offered } = turn;
  if (offered !== undefined && open.some((call) => waitKey(call) === waitKey(offered))) return;
  [turn.offered] = open;
  if (turn.offered !== undefined) terminal.write(promptLines(turn.offered, open.length - 1, terminal));
}

function undecided({ view, decided }: ChatTurn): WaitingCall[] {
  return view.waiting.filter((call) => !decided.has(waitKey(call)));
}

function waitKey({ call, n }: WaitingCall): string {
  return `${call} ${n}`;
}

async function typedInTurn(chat: Chat, turn: ChatTurn, typed: string): Promise<TurnEnd | undefined> {
  const text = typed.trim();
  const { offered } = turn;
  if (turn.leaving) return answerLeaving(chat, turn, text);
  if (text === '') return undefined;
  const command = commandIn(typed);
  if (command !== undefined && !(offered !== undefined && isDecision(command.word, offered))) {
    const outcome = await runCommand(chat, command, turn);
    return outcome?.type === 'leave' ? outcome : undefined;
  }
  if (offered !== undefined) decideOn(chat, turn, offered, text);
  else {
    chat.ahead.push(typed);
    chat.terminal.write([
      chat.terminal.colors.dim('  It is asked next. /say TEXT sends it to the agent now.'),
    ]);
  }
  return undefined;
}

async function answerLeaving(chat: Chat, turn: ChatTurn, text: string): Promise<TurnEnd | undefined> {
  turn.leaving = false;
  const letter = text.charAt(0).toLowerCase();
  if (letter === 'd') return detach(chat, turn);
  if (letter === 'c') cancelRun(turn);
  return undefined;
}

function decideOn({ terminal }: Chat, turn: ChatTurn, offered: WaitingCall, text: string): void {
  const { run, queue, send } = turn;
  const read = readDecision(text, offered, undecided(turn));
  if (read.type === 'problem') return terminal.write([terminal.colors.yellow(`  ${read.line}`)]);
  const { waiting } = read;
  const wait = waitKey(waiting);
  turn.decided.add(wait);
  if (wait === waitKey(offered)) turn.offered = undefined;
  if (read.type === 'extend') {
    const limited = queue.context.client.get(workflowOfCall(run.id, waiting.call));
    return send(() => limited.extend(read.by), 'The limit is raised.', wait);
  }
  const words = `Recorded: ${read.decision.type} ${waiting.call}`;
  send(() => run.decide(waiting.call, read.decision, waiting.n), words, wait);
}

/** Leaves the run, which continues. */
async function detach(chat: Chat, { run, queue, view }: ChatTurn): Promise<TurnEnd> {
  chat.detached.add(run.id);
  const watch = `\`${typedCommand('watch', [run.id])}\``;
  const meanwhile = chat.connection.serves() ? ' while this chat is open' : '';
  const hasBegun = view.runId !== '';
  const line = hasBegun
    ? `Run ${run.id} continues${meanwhile}: ${watch} shows it.`
    : await describeQueued(queue.context.client, chat.session, run.id);
  const dropped = chat.ahead.splice(0).length > 0 ? ['What was typed ahead is not asked.'] : [];
  chat.terminal.write([line, ...dropped]);
  return { type: 'detached' };
}

function promptOf({ terminal }: Chat, { leaving, offered }: ChatTurn): string {
  const { bold, dim } = terminal.colors;
  if (leaving) return bold('Detach from the run, cancel it or stay? [d/c/S] ');
  if (offered !== undefined) return bold(`${offered.call} › `);
  return dim('› ');
}
