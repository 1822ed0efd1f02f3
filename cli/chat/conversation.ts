import { overridesIn } from '../options/override-options.ts';
import { asText } from '../../agent/values/vocabulary.ts';
import { cliName, typedCommand } from '../../client/connect/cli-name.ts';
import { newRunId } from '../../client/start/run-id.ts';
import { withPage } from '../connection/web-ui.ts';
import { totalWords } from '../print/trace/trace-words.ts';
import { fit } from '../shell/display.ts';
import { type Io, exitCodes, failureOf, print, printJson, say } from '../shell/io.ts';
import type { Chat, ChatStart } from './chat.ts';
import { commandIn, runCommand } from './chat-commands.ts';
import { type ChatEvent, createAsyncQueue } from './chat-events.ts';
import { previewLines, resumeCommand, sessionOf, statelessNote, takesHistory } from './chat-session.ts';
import { openChatTerminal } from './chat-terminal.ts';
import { type TurnEnd, followTurn } from './chat-turn.ts';

/** A chat at a terminal; the server is open. Resolves with the exit code. */
export async function liveChat(io: Io, start: ChatStart): Promise<number> {
  const events = createAsyncQueue<ChatEvent>();
  const terminal = openChatTerminal(io, events.put);
  const stopSignals = io.onSignal((signal) =>
    events.put(signal === 'SIGINT' ? { type: 'interrupt' } : { type: 'terminated' }),
  );
  const chat: Chat = {
    ...start,
    terminal,
    events,
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
  const { terminal, agent, session, connection, config } = chat;
  const { bold, dim } = terminal.colors;
  const { client } = await connection.server(terminal.io);
  const remembers = takesHistory(config, agent);
  const lines = remembers ? await previewLines(client, session, terminal) : undefined;
  chat.begun = lines !== undefined;
  const place = remembers ? `session ${session} · ` : '';
  terminal.write([`${bold(agent)}${dim(` · ${place}/help, Ctrl-D ends`)}`, ...(lines ?? [])]);
  if (!remembers) terminal.write([terminal.colors.yellow(statelessNote(config, agent))]);
}

/** Question after question; resolves with the exit code. */
async function converse(chat: Chat): Promise<number> {
  for (;;) {
    const text = chat.ahead.shift() ?? (await nextLine(chat));
    if (typeof text === 'number') return text;
    if (text.trim() === '') continue;
    const code = await guarded(chat, () => answerLine(chat, text));
    if (code !== undefined) return code;
  }
}

/** The next line at the prompt, or the exit code with which the chat ends. */
async function nextLine({ terminal, events }: Chat): Promise<string | number> {
  for (let interrupted = false; ;) {
    terminal.prompt(terminal.colors.bold('› '), { remember: true });
    const event = await events.take();
    switch (event.type) {
      case 'line':
        return event.text;
      case 'end':
        return exitCodes.answered;
      case 'terminated':
        return exitCodes.terminated;
      case 'interrupt':
        if (interrupted) return exitCodes.answered;
        interrupted = true;
        terminal.write([terminal.colors.dim('Ctrl-C again, or Ctrl-D, ends the chat.')]);
        continue;
      default:
        continue; // of a run that is no longer followed
    }
  }
}

/** Runs a command or asks a question. Resolves with the exit code if the chat ends. */
async function answerLine(chat: Chat, text: string): Promise<number | undefined> {
  const command = commandIn(text);
  if (command === undefined) return ask(chat, text);
  const outcome = await runCommand(chat, command);
  if (outcome?.type === 'leave') return outcome.code;
  return outcome?.type === 'again' ? continueRun(chat, outcome.id, true) : undefined;
}

async function ask(chat: Chat, input: string): Promise<number | undefined> {
  const { terminal, connection, agent, options, config } = chat;
  const session = takesHistory(config, agent) ? chat.session : undefined;
  const queue = await connection.connect(terminal.io, { agent, session });
  if (session !== undefined) {
    const caught = await catchUp(chat);
    if (caught === 'busy')
      terminal.write(['Your question is not asked: in a session one run comes after the other.']);
    if (caught !== undefined) return caught === 'busy' ? undefined : caught;
  }
  const id = newRunId(agent);
  chat.last = id;
  const { taskQueue, context } = queue;
  const start = {
    id,
    session,
    taskQueue,
    variables: options.var,
    ...overridesIn(options),
  };
  const end = await followTurn(chat, id, queue, () => context.client.start(agent, input, start));
  return endTurn(chat, id, end);
}

async function catchUpAtStart(chat: Chat): Promise<number | undefined> {
  const caught = await catchUp(chat);
  return caught === 'busy' ? undefined : caught;
}

/**
 * Follows the run that is under way in the conversation, perhaps of an earlier chat: a session has one run at a time. Resolves
 * with the exit code if the chat ends, with 'busy' if the run was left again.
 */
async function catchUp(chat: Chat): Promise<number | 'busy' | undefined> {
  if (!chat.begun) return undefined;
  const { client } = await chat.connection.server(chat.terminal.io);
  for (let before = ''; ;) {
    const id = (await sessionOf(client, chat.session))?.running ?? before;
    if (id === before) return undefined;
    before = id;
    chat.detached.delete(id);
    chat.terminal.write([`Run ${id} of this session is under way: following it.`]);
    const code = await continueRun(chat, id, false);
    if (code !== undefined) return code;
    if (chat.detached.has(id)) return 'busy';
  }
}

async function continueRun(chat: Chat, id: string, again: boolean): Promise<number | undefined> {
  const { terminal, connection, agent, session } = chat;
  const queue = await connection.connect(terminal.io, { agent, session: chat.begun ? session : undefined });
  chat.last = id;
  const run = queue.context.client.get(id);
  const end = await followTurn(chat, id, queue, () => Promise.resolve(run), { again });
  return endTurn(chat, id, end);
}

/** Shows how a turn ended. Resolves with the exit code if the chat ends. */
async function endTurn(chat: Chat, id: string, end: TurnEnd): Promise<number | undefined> {
  switch (end.type) {
    case 'leave':
      return end.code;
    case 'detached':
      return undefined;
    case 'lost':
      return lost(chat, id, end.error);
    case 'over':
      chat.detached.delete(id);
      return over(chat, id, end);
  }
}

async function over(
  chat: Chat,
  id: string,
  { report, error }: Extract<TurnEnd, { type: 'over' }>,
): Promise<undefined> {
  const { terminal, options, connection } = chat;
  const { bold, dim, red, yellow } = terminal.colors;
  const { status, stopReason, output, iterations, usage } = report;
  if (options.json === true) {
    const context = await connection.server(terminal.io);
    printJson(terminal.io, await withPage(context, context.client.get(id)).describe());
  } else if (status === 'completed' || status === 'stopped') {
    print(terminal.io, asText(output));
  }
  terminal.write([
    ...(status === 'stopped' ? [yellow(`stopped (${stopReason ?? ''})`)] : []),
    ...(error === undefined ? [] : [red(error)]),
    ...(status === 'failed'
      ? [bold('/retry goes back to where it failed; the conversation leaves it out until then.')]
      : []),
    dim(fit(`  ${[`run ${id}`, ...totalWords(iterations, usage)].join(' · ')}`, terminal.width() - 1)),
    ' ',
  ]);
}

/** The next question connects again, and first follows this run. */
async function lost(chat: Chat, id: string, error: unknown): Promise<undefined> {
  const { terminal, connection } = chat;
  const { code, line } = failureOf(error);
  const what =
    code === exitCodes.unreachable
      ? 'The Temporal server no longer answers.'
      : 'This turn cannot be followed any more.';
  terminal.write([
    terminal.colors.red(line),
    `${what} What was done is recorded: the next question continues with run ${id} first.`,
  ]);
  await connection.reset();
}

/** Prints an error; the chat continues. */
async function guarded(
  { terminal, connection }: Chat,
  act: () => Promise<number | undefined>,
): Promise<number | undefined> {
  try {
    return await act();
  } catch (error) {
    const { line, code } = failureOf(error);
    terminal.write([terminal.colors.red(line)]);
    if (code === exitCodes.unreachable) await connection.reset();
    return undefined;
  }
}

async function sayGoodbye(io: Io, chat: Chat): Promise<void> {
  const { connection, begun, detached } = chat;
  for (const id of detached) {
    const state = connection.serves()
      ? `has lost its worker, which was this chat. It waits until the chat continues, \`${cliName()} dev\`, or`
      : 'continues wherever a worker serves it:';
    say(io, `Run ${id} ${state} ${typedCommand('watch', [id])}`);
  }
  if (begun) say(io, `Come back: ${resumeCommand(chat)}`);
}
