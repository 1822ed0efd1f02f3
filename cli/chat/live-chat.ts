import { newRunId } from '../../client/run-id.ts';
import { exitCodes, failureOf } from '../exit-codes.ts';
import { type Io, say } from '../io.ts';
import { runCommand } from './chat-commands.ts';
import { takesHistory } from './chat-link.ts';
import type { Chat, TurnEnd } from './chat-state.ts';
import { openChatTerminal } from './chat-terminal.ts';
import { commandOf } from './command-words.ts';
import { endTurn } from './end-turn.ts';
import { followTurn } from './follow-turn.ts';
import type { Happening } from './happening.ts';
import { createMailbox } from './mailbox.ts';
import { comeBack, recallLines, sessionOf } from './recall.ts';
import { saySessionless } from './sessionless.ts';
import { shellWord } from '../print/display.ts';
import { reloop } from '../../client/typed-command.ts';

export type ChatStart = Pick<Chat, 'link' | 'config' | 'options' | 'agent' | 'session'>;

/** A chat at a terminal; the server is open. Resolves with the exit code. */
export async function liveChat(io: Io, start: ChatStart): Promise<number> {
  const mailbox = createMailbox<Happening>();
  const terminal = openChatTerminal(io, mailbox.put);
  const stopSignals = io.onSignal((signal) =>
    mailbox.put(signal === 'SIGINT' ? { type: 'interrupt' } : { type: 'terminated' }),
  );
  const chat: Chat = {
    ...start,
    terminal,
    mailbox,
    begun: false,
    ahead: [],
    last: undefined,
    detached: new Set(),
    turns: 0,
  };
  try {
    await greet(chat);
    return (await guarded(chat, () => catchUpAtStart(chat))) ?? (await converse(chat));
  } finally {
    terminal.close();
    stopSignals();
    await sayGoodbye(io, chat);
  }
}

async function greet(chat: Chat): Promise<void> {
  const { terminal, agent, session, link, config } = chat;
  const { bold, dim } = terminal.colors;
  const { client } = await link.server(terminal.io);
  const remembers = takesHistory(config?.loaded, agent);
  const lines = remembers ? await recallLines(client, session, terminal) : undefined;
  chat.begun = lines !== undefined;
  const place = remembers ? `session ${session} · ` : '';
  terminal.write([`${bold(agent)}${dim(` · ${place}/help, Ctrl-D ends`)}`, ...(lines ?? [])]);
  if (!remembers) saySessionless(chat);
}

/** Question after question; resolves with the exit code. */
async function converse(chat: Chat): Promise<number> {
  for (;;) {
    const text = chat.ahead.shift() ?? (await nextLine(chat));
    if (typeof text === 'number') return text;
    if (text.trim() === '') continue;
    const code = await guarded(chat, () => carryOut(chat, text));
    if (code !== undefined) return code;
  }
}

/** The next line at the prompt, or the exit code with which the chat ends. */
async function nextLine({ terminal, mailbox }: Chat): Promise<string | number> {
  for (let interrupted = false; ;) {
    terminal.prompt(terminal.colors.bold('› '), { remember: true });
    const happening = await mailbox.take();
    switch (happening.type) {
      case 'line':
        return happening.text;
      case 'end':
        return exitCodes.answered;
      case 'terminated':
        return exitCodes.terminated;
      case 'interrupt':
        if (interrupted) return exitCodes.answered;
        interrupted = true;
        terminal.write([terminal.colors.dim('Ctrl-C again, or Ctrl-D, ends the chat.')]);
        continue;
      case 'event':
      case 'over':
      case 'broken':
      case 'acted':
      case 'refused':
        continue; // of a run that is no longer followed
    }
  }
}

/** The exit code, where the chat ends. */
async function carryOut(chat: Chat, text: string): Promise<number | undefined> {
  if (commandOf(text) === undefined) return ask(chat, text);
  const outcome = await runCommand(chat, text);
  if (outcome?.type === 'leave') return outcome.code;
  return outcome?.type === 'again' ? goOn(chat, outcome.id, true) : undefined;
}

async function ask(chat: Chat, input: string): Promise<number | undefined> {
  const { terminal, link, agent, options, config } = chat;
  const session = takesHistory(config?.loaded, agent) ? chat.session : undefined;
  const reached = await link.reach(terminal.io, { agent, session });
  if (session !== undefined) {
    const caught = await catchUp(chat);
    if (caught === 'busy')
      terminal.write(['Your question is not asked: in a session one run comes after the other.']);
    if (caught !== undefined) return caught === 'busy' ? undefined : caught;
  }
  const id = newRunId(agent);
  chat.last = id;
  const { taskQueue, context } = reached;
  const start = { id, session, taskQueue, model: options.model, variables: options.var };
  const end = await followTurn(chat, id, reached, () => context.client.start(agent, input, start));
  return endTurn(chat, id, end);
}

async function catchUpAtStart(chat: Chat): Promise<number | undefined> {
  const caught = await catchUp(chat);
  return caught === 'busy' ? undefined : caught;
}

/**
 * A conversation goes one question after the other: first what is under way in it, of an earlier chat perhaps. The exit code
 * where the chat ends with it, 'busy' where the run was left again.
 */
async function catchUp(chat: Chat): Promise<number | 'busy' | undefined> {
  if (!chat.begun) return undefined;
  const { client } = await chat.link.server(chat.terminal.io);
  for (let before = ''; ;) {
    const id = (await sessionOf(client, chat.session))?.running ?? before;
    if (id === before) return undefined;
    before = id;
    chat.detached.delete(id);
    chat.terminal.write([`Run ${id} of this session is under way: going on with it.`]);
    const code = await goOn(chat, id, false);
    if (code !== undefined) return code;
    if (chat.detached.has(id)) return 'busy';
  }
}

async function goOn(chat: Chat, id: string, again: boolean): Promise<number | undefined> {
  const { terminal, link, agent, session } = chat;
  const reached = await link.reach(terminal.io, { agent, session: chat.begun ? session : undefined });
  chat.last = id;
  const run = reached.context.client.get(id);
  const end: TurnEnd = await followTurn(chat, id, reached, () => Promise.resolve(run), { again });
  return endTurn(chat, id, end);
}

/** What goes wrong is said, and the chat goes on. */
async function guarded(
  { terminal, link }: Chat,
  act: () => Promise<number | undefined>,
): Promise<number | undefined> {
  try {
    return await act();
  } catch (error) {
    const { line, code } = failureOf(error);
    terminal.write([terminal.colors.red(line)]);
    if (code === exitCodes.unreachable) await link.lose();
    return undefined;
  }
}

async function sayGoodbye(io: Io, chat: Chat): Promise<void> {
  const { link, begun, detached } = chat;
  for (const id of detached) {
    const goesOn = link.serves()
      ? `has lost its worker, which was this chat. It stands still until the chat goes on, \`${reloop()} dev\`, or`
      : 'goes on wherever a worker serves it:';
    say(io, `Run ${id} ${goesOn} ${reloop()} watch ${shellWord(id)}`);
  }
  if (begun) say(io, `Come back: ${comeBack(chat)}`);
}
