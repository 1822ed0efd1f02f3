import type { AgentRun } from '../../client/api/agent-run.ts';
import { checkAgent, checkModel } from '../connection/command-config.ts';
import { createTracePrinter } from '../print/trace/trace-printer.ts';
import { padTo } from '../shell/display.ts';
import { UsageError, exitCodes } from '../shell/io.ts';
import type { Chat } from './chat.ts';
import { previewLines, resumeCommand, statelessNote, takesHistory } from './chat-session.ts';

/** A command of a chat as it is typed: `/agent NAME`. */
interface TypedCommand {
  word: string;
  rest: string;
}

/** A run that is followed, for the commands that are typed meanwhile. */
export interface RunAtWork {
  run: AgentRun;
  /**
   * Sends a request while the run's events continue; `words` appear once it is recorded. `wait`: the wait that it ends.
   */
  send(request: () => Promise<unknown>, words: string, wait?: string): void;
}

/** The action that the chat takes after a command: leave, or follow a run again. undefined: none. */
export type CommandOutcome = { type: 'leave'; code: number } | { type: 'again'; id: string } | undefined;

interface ChatCommand {
  words: readonly string[];
  /** The two columns of /help. */
  usage: string;
  does: string;
  /** True for a command that cannot be used while a run is followed. */
  needsPrompt?(typed: TypedCommand): boolean;
  run(
    chat: Chat,
    typed: TypedCommand,
    atWork: RunAtWork | undefined,
  ): CommandOutcome | Promise<CommandOutcome>;
}

/** Commands at the prompt, in the order of /help. */
const chatCommands: readonly ChatCommand[] = [
  {
    words: ['show', 'steps'],
    usage: '/show',
    does: 'the last turn with every step in full (also /steps)',
    run: (chat, _, atWork) => show(chat, atWork?.run.id ?? chat.last),
  },
  {
    words: ['retry'],
    usage: '/retry',
    does: 'go back to where the last turn failed',
    needsPrompt: () => true,
    run: retry,
  },
  {
    words: ['agent'],
    usage: '/agent NAME',
    does: 'continue with another agent; without NAME: list the agents',
    needsPrompt: () => true,
    run: (chat, { rest }) => changeAgent(chat, rest),
  },
  {
    words: ['session'],
    usage: '/session NAME',
    does: 'continue another conversation; without NAME: show the name of this one',
    needsPrompt: ({ rest }) => rest !== '',
    run: (chat, { rest }) => (rest === '' ? showSession(chat) : changeSession(chat, rest)),
  },
  {
    words: ['clear'],
    usage: '/clear',
    does: 'forget what was said in this conversation',
    needsPrompt: () => true,
    run: clear,
  },
  {
    words: ['exit', 'quit'],
    usage: '/exit',
    does: 'end the chat (also Ctrl-D)',
    run({ detached }, _, atWork) {
      if (atWork !== undefined) detached.add(atWork.run.id);
      return { type: 'leave', code: exitCodes.answered };
    },
  },
];

const runCommands: readonly (Pick<ChatCommand, 'words' | 'usage' | 'does'> & {
  run(chat: Chat, typed: TypedCommand, atWork: RunAtWork): void;
})[] = [
  {
    words: ['say'],
    usage: '/say TEXT',
    does: 'send the agent a message; it sees it at its next step',
    run({ terminal }, { rest }, { run, send }) {
      if (rest === '') terminal.write(['  Type the message to the agent: /say TEXT']);
      else send(() => run.say(rest), 'The agent sees it at its next step.');
    },
  },
  {
    words: ['cancel'],
    usage: '/cancel',
    does: 'end the run (Ctrl-C asks)',
    run: (_chat, _typed, atWork) => cancelRun(atWork),
  },
  {
    words: ['pause', 'resume'],
    usage: '/pause, /resume',
    does: 'start nothing new, and continue',
    run(_chat, { word }, { run, send }) {
      if (word === 'pause') send(() => run.pause(), 'Paused: /resume continues.');
      else send(() => run.resume(), 'It continues.');
    },
  },
];

/** undefined for a text that is not a command: a question may well start with /etc/passwd, or with a blank. */
export function commandIn(text: string): TypedCommand | undefined {
  const [, word, rest = ''] = /^\/([a-z]+)(?:\s+([^]*))?$/u.exec(text.trimEnd()) ?? [];
  return word === undefined ? undefined : { word, rest: rest.trim() };
}

/** Runs a command, at the prompt or while a run is followed. Throws UsageError. */
export async function runCommand(
  chat: Chat,
  typed: TypedCommand,
  atWork?: RunAtWork,
): Promise<CommandOutcome> {
  const { word } = typed;
  if (word === 'help') return help(chat);
  const isMeant = ({ words }: { words: readonly string[] }) => words.includes(word);
  const ofRun = runCommands.find(isMeant);
  if (ofRun !== undefined) {
    if (atWork === undefined) return note(chat, `/${word} is for a running run, and no run is.`);
    ofRun.run(chat, typed, atWork);
    return undefined;
  }
  const command = chatCommands.find(isMeant);
  if (command === undefined) {
    return note(
      chat,
      `There is no /${word}. /help lists the commands. Type a space before a question that starts with /.`,
    );
  }
  if (atWork !== undefined && command.needsPrompt?.(typed) === true)
    return note(chat, `/${word} has to wait until this run is over; /cancel ends it.`);
  return command.run(chat, typed, atWork);
}

export function cancelRun({ run, send }: RunAtWork): void {
  send(() => run.cancel(), 'Cancelling the run …');
}

function note({ terminal }: Chat, line: string): undefined {
  terminal.write([terminal.colors.yellow(`  ${line}`)]);
}

function help({ terminal }: Chat): undefined {
  const { bold, dim } = terminal.colors;
  const rows = (list: readonly Pick<ChatCommand, 'usage' | 'does'>[]) =>
    list.map(({ usage, does }) => `  ${padTo(usage, 18)}${dim(does)}`);
  terminal.write([
    ...rows(chatCommands),
    bold('While the agent is at work:'),
    ...rows(runCommands),
    dim('A \\ at the end of a line continues it on the next one. Up and down bring back earlier lines.'),
  ]);
}

/** The whole trace, as `reloop show` prints it. */
async function show(chat: Chat, id: string | undefined): Promise<undefined> {
  const { terminal, connection } = chat;
  if (id === undefined) return note(chat, 'Nothing was asked yet.');
  const { client } = await connection.server(terminal.io);
  const printer = createTracePrinter({
    write: (text) => terminal.io.stderr.write(text),
    colors: terminal.colors,
    width: terminal.width,
    wraps: true,
    live: false,
    rows: Infinity,
  });
  const events = client.get(id).events({ follow: false, subAgents: true });
  for await (const event of events) printer.print(event);
}

function showSession({ terminal, ...chat }: Chat): undefined {
  const said = chat.begun ? '' : ', nothing said in it yet';
  terminal.write([
    `  Session ${chat.session}, agent ${chat.agent}${said}.`,
    `  Come back: ${resumeCommand(chat)}`,
  ]);
}

async function changeSession(chat: Chat, name: string): Promise<undefined> {
  const { client } = await chat.connection.server(chat.terminal.io);
  const lines = await previewLines(client, name, chat.terminal);
  chat.session = name;
  chat.begun = lines !== undefined;
  chat.terminal.write(lines ?? [`  Session ${name} is new.`]);
}

async function changeAgent(chat: Chat, name: string): Promise<undefined> {
  const { terminal, config, connection } = chat;
  const loaded = config?.loaded;
  const known = [...(loaded?.agents.keys() ?? [])];
  if (name === '') {
    const lines = known.map((one) => `  ${one}${one === chat.agent ? '  (this one)' : ''}`);
    terminal.write(lines.length > 0 ? lines : [`  ${chat.agent}`]);
    return;
  }
  if (loaded !== undefined) {
    checkAgent(loaded, name);
    if (connection.serves()) checkModel(loaded, name, chat.options.model);
  }
  chat.agent = name;
  terminal.write([`  From now on ${name} answers.`]);
  if (!takesHistory(config, name)) terminal.write([terminal.colors.yellow(statelessNote(config, name))]);
}

async function clear(chat: Chat): Promise<undefined> {
  if (!chat.begun) return note(chat, 'There is nothing to forget yet.');
  const { context } = await chat.connection.connect(chat.terminal.io, chat);
  await context.client.session(chat.session).clear();
  chat.terminal.write([`  Session ${chat.session} is cleared.`]);
}

async function retry({ last, connection, terminal, agent }: Chat): Promise<CommandOutcome> {
  if (last === undefined) throw new UsageError('retry: nothing was asked yet.');
  const { context } = await connection.connect(terminal.io, { agent, session: undefined });
  await context.client.get(last).retry();
  return { type: 'again', id: last };
}
