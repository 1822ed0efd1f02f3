import { checkAgent, checkModel } from '../check-agent.ts';
import { UsageError, exitCodes } from '../exit-codes.ts';
import { padTo } from '../print/display.ts';
import { createTracePrinter } from '../print/trace-printer.ts';
import { takesHistory } from './chat-link.ts';
import type { Chat, Turn } from './chat-state.ts';
import { commandHelp, commandOf, turnHelp } from './command-words.ts';
import { comeBack, recallLines } from './recall.ts';
import { saySessionless } from './sessionless.ts';

/** What is to be done about a command, where it has not been done. */
export type CommandOutcome = { type: 'leave'; code: number } | { type: 'again'; id: string } | undefined;

/** Carries out what begins with a slash, at the prompt or while a run is followed. Throws UsageError. */
export async function runCommand(chat: Chat, text: string, turn?: Turn): Promise<CommandOutcome> {
  const { word, rest } = commandOf(text) ?? { word: '', rest: '' };
  switch (word) {
    case 'help':
      return help(chat);
    case 'show':
    case 'steps':
      return show(chat, turn?.id ?? chat.last);
    case 'exit':
    case 'quit':
      if (turn !== undefined) chat.detached.add(turn.id);
      return { type: 'leave', code: exitCodes.answered };
    case 'session':
      return rest === '' ? which(chat) : atPrompt(chat, turn, word, () => session(chat, rest));
    case 'agent':
      return atPrompt(chat, turn, word, () => agent(chat, rest));
    case 'clear':
      return atPrompt(chat, turn, word, () => clear(chat));
    case 'retry':
      return atPrompt(chat, turn, word, () => retry(chat));
    case 'say':
    case 'cancel':
    case 'pause':
    case 'resume':
      return note(chat, `/${word} is for a run at work, and none is.`);
    default:
      return note(
        chat,
        `There is no /${word}. /help lists what there is; a question that begins so: a blank first.`,
      );
  }
}

function note({ terminal }: Chat, line: string): undefined {
  terminal.write([terminal.colors.yellow(`  ${line}`)]);
}

async function atPrompt(
  chat: Chat,
  turn: Turn | undefined,
  word: string,
  act: () => Promise<CommandOutcome>,
): Promise<CommandOutcome> {
  return turn === undefined
    ? act()
    : note(chat, `/${word} has to wait until this run is over; /cancel ends it.`);
}

function help({ terminal }: Chat): undefined {
  const { bold, dim } = terminal.colors;
  const rows = (list: typeof commandHelp) =>
    list.map(({ usage, does }) => `  ${padTo(usage, 18)}${dim(does)}`);
  terminal.write([
    ...rows(commandHelp),
    bold('While the agent is at work:'),
    ...rows(turnHelp),
    dim('A \\ at the end of a line goes on in the next one. Up and down bring back what was typed.'),
  ]);
}

/** The whole trace, as `reloop show` prints it. */
async function show(chat: Chat, id: string | undefined): Promise<undefined> {
  const { terminal, link } = chat;
  if (id === undefined) return note(chat, 'Nothing was asked yet.');
  const { client } = await link.server(terminal.io);
  const printer = createTracePrinter({
    write: (text) => terminal.io.stderr.write(text),
    colors: terminal.colors,
    width: terminal.width,
    live: false,
    rows: Infinity,
  });
  const events = client.get(id).events({ follow: false, subAgents: true });
  for await (const event of events) printer.print(event);
}

function which({ terminal, ...chat }: Chat): undefined {
  const said = chat.begun ? '' : ', nothing said in it yet';
  terminal.write([
    `  Session ${chat.session}, agent ${chat.agent}${said}.`,
    `  Come back: ${comeBack(chat)}`,
  ]);
}

async function session(chat: Chat, name: string): Promise<undefined> {
  const { client } = await chat.link.server(chat.terminal.io);
  const lines = await recallLines(client, name, chat.terminal);
  chat.session = name;
  chat.begun = lines !== undefined;
  chat.terminal.write(lines ?? [`  Session ${name} is new.`]);
}

async function agent(chat: Chat, name: string): Promise<undefined> {
  const loaded = chat.config?.loaded;
  const known = [...(loaded?.agents.keys() ?? [])];
  if (name === '') {
    const lines = known.map((one) => `  ${one}${one === chat.agent ? '  (this one)' : ''}`);
    chat.terminal.write(lines.length > 0 ? lines : [`  ${chat.agent}`]);
    return;
  }
  if (loaded !== undefined) {
    checkAgent(loaded, name);
    if (chat.link.serves()) checkModel(loaded, name, chat.options.model);
  }
  chat.agent = name;
  chat.terminal.write([`  From now on ${name} answers.`]);
  if (!takesHistory(loaded, name)) saySessionless(chat);
}

async function clear(chat: Chat): Promise<undefined> {
  if (!chat.begun) return note(chat, 'There is nothing to forget yet.');
  const { context } = await chat.link.reach(chat.terminal.io, chat);
  await context.client.session(chat.session).clear();
  chat.terminal.write([`  Session ${chat.session} is cleared.`]);
}

async function retry(chat: Chat): Promise<CommandOutcome> {
  if (chat.last === undefined) throw new UsageError('retry: nothing was asked yet.');
  const { context } = await chat.link.reach(chat.terminal.io, { agent: chat.agent, session: undefined });
  await context.client.get(chat.last).retry();
  return { type: 'again', id: chat.last };
}
