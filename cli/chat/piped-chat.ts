import { createInterface } from 'node:readline';
import type { AgentRun } from '../../client/agent-run.ts';
import { newRunId } from '../../client/run-id.ts';
import { awaitTurn } from '../ask-in-session.ts';
import { exitCodes, failureOf } from '../exit-codes.ts';
import { finish } from '../follow/finish.ts';
import { follow } from '../follow/follow.ts';
import { type Io, say } from '../io.ts';
import { flagsToRepeat } from '../options.ts';
import { withPage } from '../web-ui.ts';
import { type Reached, takesHistory } from './chat-link.ts';
import type { ChatStart } from './live-chat.ts';
import { comeBack } from './recall.ts';
import { sessionlessText } from './sessionless.ts';

/**
 * Each line of stdin is a question, each answer goes to stdout. Resolves with 0, or with the exit code of the latest question
 * that came to nothing.
 */
export async function pipedChat(io: Io, start: ChatStart): Promise<number> {
  const remembers = takesHistory(start.config?.loaded, start.agent);
  if (remembers) say(io, `Session ${start.session}`);
  else say(io, sessionlessText(start.config, start.agent));
  let worst: number = exitCodes.answered;
  let asked = 0;
  for await (const question of questions(io)) {
    asked++;
    const code = await turn(io, start, question, remembers);
    if (code !== exitCodes.answered) worst = code;
    if (isLeft(code) || (remembers && code === exitCodes.waiting)) break; // a run that waits holds up those behind it
  }
  if (remembers && asked > 0) say(io, `Go on: ${comeBack(start)}`);
  return worst;
}

function isLeft(code: number): boolean {
  return code === exitCodes.cancelled || code === exitCodes.terminated;
}

async function turn(io: Io, start: ChatStart, input: string, remembers: boolean): Promise<number> {
  const { link, agent, options } = start;
  try {
    const session = remembers ? start.session : undefined;
    const reached = await link.reach(io, { agent, session });
    const asked = await ask(io, start, reached, { input, session });
    if (typeof asked === 'string') return asked === 'SIGTERM' ? exitCodes.terminated : exitCodes.cancelled;
    const followed = await follow(io, reached.context, asked, {
      untilWaiting: !options.wait,
      onInterrupt: 'cancel',
      flags: flagsToRepeat(options),
    });
    const printed = options.json === true ? 'report' : 'answer';
    return await finish(io, withPage(reached.context, asked), followed, printed, link.serves());
  } catch (error) {
    // The next question may find a server or a worker again.
    await link.lose();
    const { line, code } = failureOf(error);
    say(io, line);
    return code;
  }
}

/** The question's run when its turn has come, or the signal that came before. */
async function ask(
  io: Io,
  { agent, options }: ChatStart,
  { context, taskQueue }: Reached,
  { input, session }: { input: string; session: string | undefined },
): Promise<AgentRun | 'SIGINT' | 'SIGTERM'> {
  const own = { id: newRunId(agent), model: options.model, variables: options.var };
  if (session === undefined) return context.client.start(agent, input, { ...own, taskQueue });
  const { run, left } = await awaitTurn(io, context, {
    name: session,
    agent,
    input,
    taskQueue,
    options: own,
  });
  return left ?? run;
}

/** Lines, those that end in a \ with the next one; without those that are empty. */
async function* questions({ stdin }: Io): AsyncGenerator<string> {
  let text = '';
  for await (const line of createInterface({ input: stdin, terminal: false })) {
    if (line.endsWith('\\')) {
      text += `${line.slice(0, -1)}\n`;
      continue;
    }
    const question = text + line;
    text = '';
    if (question.trim() !== '') yield question;
  }
  if (text.trim() !== '') yield text;
}
