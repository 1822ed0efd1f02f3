import type { RunEvent } from '../../agent/events.ts';
import { isRecorded } from '../../agent/events.ts';
import type { AgentRun } from '../../client/agent-run.ts';
import { addToReport, emptyReport } from '../../client/report.ts';
import { becomesOf } from '../ask-in-session.ts';
import { exitCodes, failureOf } from '../exit-codes.ts';
import { countEvents } from '../follow/follow.ts';
import { warnWithoutWorker } from '../follow/no-worker.ts';
import { shellWord } from '../print/display.ts';
import { type Reached, takesHistory } from './chat-link.ts';
import { type Chat, type Turn, type TurnEnd, waitKey } from './chat-state.ts';
import { createFoldedTrace } from './folded-trace.ts';
import type { Happening } from './happening.ts';
import { offerLines } from './offer.ts';
import { typedInTurn } from './turn-input.ts';
import { reloop } from '../../client/typed-command.ts';

export interface FollowTurnOptions {
  /** The run begins again: its earlier steps have been seen. */
  again?: boolean;
}

/** Shows a run as it goes on, and answers to what is typed meanwhile. `begin` resolves when the run is there. */
export async function followTurn(
  chat: Chat,
  id: string,
  reached: Reached,
  begin: () => Promise<AgentRun>,
  { again = false }: FollowTurnOptions = {},
): Promise<TurnEnd> {
  const started = begin();
  const turn = newTurn(chat, id, { started, taskQueue: reached.taskQueue, silent: again });
  const stop = readInto(chat, turn, reached, started);
  try {
    for (;;) {
      const remember = !turn.leaving && turn.offered === undefined;
      chat.terminal.prompt(promptOf(chat, turn), { remember });
      const end = await react(chat, turn, reached, await chat.mailbox.take());
      if (end !== undefined) return end;
    }
  } finally {
    stop();
    turn.trace.end();
  }
}

function newTurn(chat: Chat, id: string, begun: Pick<Turn, 'started' | 'taskQueue' | 'silent'>): Turn {
  const { terminal, config, agent } = chat;
  const decided = new Set<string>();
  const plain = config?.loaded.manifest(agent, {})?.kind === 'tool-calling';
  const decidedHere = (call: string) => [...decided].some((wait) => wait.startsWith(`${call} `));
  return {
    number: ++chat.turns,
    id,
    ...begun,
    report: emptyReport(id, ''),
    trace: createFoldedTrace(terminal, { decidedHere, plain }),
    recorded: 0,
    seen: 0,
    leaving: false,
    offered: undefined,
    decided,
  };
}

/** Puts the run's events into the mailbox; returns what ends that. */
function readInto(
  { mailbox }: Chat,
  turn: Turn,
  { context, taskQueue }: Reached,
  started: Promise<AgentRun>,
): () => void {
  const { number } = turn;
  const left = new AbortController();
  const broken = (error: unknown) => mailbox.put({ type: 'broken', turn: number, error });
  const read = async () => {
    const run = await started;
    turn.recorded = await countEvents(run);
    const events = run.events({ subAgents: true, signal: left.signal });
    for await (const event of events) mailbox.put({ type: 'event', turn: number, event });
    mailbox.put({ type: 'over', turn: number });
  };
  read().catch(broken);
  context.workerFailed.catch(broken);
  const stopWarning = warnWithoutWorker(context, () => Promise.resolve({ taskQueue, open: true }));
  return () => {
    left.abort();
    stopWarning();
  };
}

async function react(
  chat: Chat,
  turn: Turn,
  reached: Reached,
  happening: Happening,
): Promise<TurnEnd | undefined> {
  const { terminal } = chat;
  if ('turn' in happening && happening.turn !== turn.number) return undefined;
  switch (happening.type) {
    case 'line':
      return detaching(chat, turn, reached, await typedInTurn(chat, turn, reached, happening.text));
    case 'interrupt':
      if (turn.leaving) return detaching(chat, turn, reached, 'detach');
      turn.leaving = true;
      return undefined;
    case 'end':
      chat.detached.add(turn.id);
      return { type: 'leave', code: exitCodes.answered };
    case 'terminated':
      chat.detached.add(turn.id);
      return { type: 'leave', code: exitCodes.terminated };
    case 'event':
      happened(chat, turn, happening.event);
      return undefined;
    case 'over':
      return { type: 'over', report: turn.report };
    case 'broken':
      return { type: 'lost', error: happening.error };
    case 'acted':
      terminal.write([terminal.colors.dim(`  ${happening.words}`)]);
      return undefined;
    case 'refused':
      terminal.write([terminal.colors.red(`  ${failureOf(happening.error).line}`)]);
      if (happening.wait !== undefined) turn.decided.delete(happening.wait);
      offerNext(chat, turn);
      return undefined;
  }
}

function happened(chat: Chat, turn: Turn, event: RunEvent): void {
  if (event.type === 'restarted') turn.silent = false;
  if (event.within === undefined) {
    if (isRecorded(event)) turn.seen++;
    addToReport(turn.report, event);
    if (event.type === 'run_started') chat.begun ||= takesHistory(chat.config?.loaded, chat.agent);
  }
  if (!turn.silent) turn.trace.print(event);
  offerNext(chat, turn);
}

/** Asks about the next call that waits, once, when all that was recorded is known. */
function offerNext({ terminal }: Chat, turn: Turn): void {
  if (turn.seen < turn.recorded) return;
  const open = turn.report.waiting.filter((call) => !turn.decided.has(waitKey(call)));
  const { offered } = turn;
  if (offered !== undefined && open.some((call) => waitKey(call) === waitKey(offered))) return;
  [turn.offered] = open;
  if (turn.offered !== undefined) terminal.write(offerLines(turn.offered, open.length - 1, terminal));
}

async function detaching(
  chat: Chat,
  turn: Turn,
  { context }: Reached,
  end: TurnEnd | 'detach' | undefined,
): Promise<TurnEnd | undefined> {
  if (end !== 'detach') return end;
  chat.detached.add(turn.id);
  const watch = `\`${reloop()} watch ${shellWord(turn.id)}\``;
  const meanwhile = chat.link.serves() ? ' while this chat is open' : '';
  const line =
    turn.seen > 0
      ? `Run ${turn.id} goes on${meanwhile}: ${watch} shows it.`
      : await becomesOf(context.client, chat.session, turn.id);
  const dropped = chat.ahead.splice(0).length > 0 ? ['What was typed ahead is not asked.'] : [];
  chat.terminal.write([line, ...dropped]);
  return { type: 'detached' };
}

function promptOf({ terminal }: Chat, { leaving, offered }: Turn): string {
  const { bold, dim } = terminal.colors;
  if (leaving) return bold('Detach from the run, cancel it or go on? [d/c/G] ');
  if (offered !== undefined) return bold(`${offered.call} › `);
  return dim('› ');
}
