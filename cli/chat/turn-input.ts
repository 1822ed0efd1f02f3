import type { AgentRun } from '../../client/agent-run.ts';
import type { Reached } from './chat-link.ts';
import { type Chat, type Turn, type TurnEnd, waitKey } from './chat-state.ts';
import { commandOf } from './command-words.ts';
import { runCommand } from './chat-commands.ts';
import { isDecision, readDecision, runOf } from './typed-decision.ts';

/** What is typed while a run is followed. */
export async function typedInTurn(
  chat: Chat,
  turn: Turn,
  reached: Reached,
  typed: string,
): Promise<TurnEnd | 'detach' | undefined> {
  const text = typed.trim();
  if (turn.leaving) return leavingWith(chat, turn, reached, text);
  if (text === '') return undefined;
  const command = commandOf(typed);
  const { offered } = turn;
  if (command !== undefined && !(offered !== undefined && isDecision(command.word, offered))) {
    return commandInTurn(chat, turn, reached, text);
  }
  if (offered !== undefined) return decideOn(chat, turn, reached, text);
  chat.ahead.push(typed);
  chat.terminal.write([chat.terminal.colors.dim('  It is asked next. /say TEXT tells the agent now.')]);
  return undefined;
}

function leavingWith(chat: Chat, turn: Turn, { context }: Reached, text: string): 'detach' | undefined {
  turn.leaving = false;
  const letter = text.charAt(0).toLowerCase();
  if (letter === 'd') return 'detach';
  if (letter === 'c') cancelRun(chat, turn, context.client.get(turn.id));
  return undefined;
}

async function commandInTurn(
  chat: Chat,
  turn: Turn,
  reached: Reached,
  text: string,
): Promise<TurnEnd | undefined> {
  const { client } = reached.context;
  const run = client.get(turn.id);
  const { word, rest } = commandOf(text) ?? { word: '', rest: '' };
  switch (word) {
    case 'cancel':
      cancelRun(chat, turn, run);
      return undefined;
    case 'say':
      if (rest === '') chat.terminal.write(['  Type what to tell the agent: /say TEXT']);
      else act(chat, turn, () => run.say(rest), 'The agent sees it at its next step.');
      return undefined;
    case 'pause':
      act(chat, turn, () => run.pause(), 'Paused: /resume goes on.');
      return undefined;
    case 'resume':
      act(chat, turn, () => run.resume(), 'It goes on.');
      return undefined;
    default: {
      const outcome = await runCommand(chat, text, turn);
      return outcome?.type === 'leave' ? outcome : undefined;
    }
  }
}

function cancelRun(chat: Chat, turn: Turn, run: AgentRun): void {
  act(chat, turn, () => run.cancel(), 'Cancelling the run …');
}

function decideOn(chat: Chat, turn: Turn, { context }: Reached, text: string): undefined {
  const { offered, report } = turn;
  if (offered === undefined) return;
  const open = report.waiting.filter((call) => !turn.decided.has(waitKey(call)));
  const read = readDecision(text, offered, open);
  if (read.type === 'problem') {
    chat.terminal.write([chat.terminal.colors.yellow(`  ${read.line}`)]);
    return;
  }
  const { waiting } = read;
  const wait = waitKey(waiting);
  turn.decided.add(wait);
  if (wait === waitKey(offered)) turn.offered = undefined;
  if (read.type === 'extend') {
    const run = context.client.get(runOf(turn.id, waiting.call));
    act(chat, turn, () => run.extend(read.by), 'The limit is raised.', wait);
    return;
  }
  const run = context.client.get(turn.id);
  const said = `Recorded: ${read.decision.type} ${waiting.call}`;
  act(chat, turn, () => run.decide(waiting.call, read.decision, waiting.n), said, wait);
}

/** Says something to the run while its events go on; what comes of it arrives as they do. */
function act(
  { mailbox }: Chat,
  { number: turn, started }: Turn,
  send: () => Promise<unknown>,
  words: string,
  wait?: string,
): void {
  started.then(send).then(
    () => mailbox.put({ type: 'acted', turn, words, wait }),
    (error: unknown) => mailbox.put({ type: 'refused', turn, error, wait }),
  );
}
