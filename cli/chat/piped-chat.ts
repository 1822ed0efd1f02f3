import { overridesIn } from '../options/override-options.ts';
import { createInterface } from 'node:readline';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { newRunId } from '../../client/start/run-id.ts';
import { type LeftEarly, awaitTurn, leftEarlyCodes } from '../connection/ask-in-session.ts';
import { type Io, exitCodes, failureOf, say } from '../shell/io.ts';
import { followToEnd } from '../follow/finish.ts';
import { untilHeldUp } from '../follow/run-before.ts';
import { flagsToRepeat } from '../options/options.ts';
import type { ChatStart, ServedQueue } from './chat.ts';
import { resumeCommand, statelessNote, takesHistory } from './chat-session.ts';

/**
 * A chat without a terminal: each line of stdin is a question, each answer goes to stdout. Resolves with 0, or with the exit
 * code of the latest question that has no answer.
 */
export async function pipedChat(io: Io, start: ChatStart): Promise<number> {
  const remembers = takesHistory(start.config, start.agent);
  if (remembers) say(io, `Session ${start.session}`);
  else say(io, statelessNote(start.config, start.agent));
  let worst: number = exitCodes.answered;
  let asked = 0;
  for await (const question of questions(io)) {
    asked++;
    const code = await turn(io, start, question, remembers);
    if (code !== exitCodes.answered) worst = code;
    const isHeldUp = remembers && code === exitCodes.waiting; // a run that waits holds up the next questions
    if (isHeldUp || code === exitCodes.cancelled || code === exitCodes.terminated) break;
  }
  if (remembers && asked > 0) say(io, `Continue: ${resumeCommand(start)}`);
  return worst;
}

async function turn(io: Io, start: ChatStart, input: string, remembers: boolean): Promise<number> {
  const { connection, agent, options } = start;
  try {
    const session = remembers ? start.session : undefined;
    const queue = await connection.connect(io, { agent, session });
    const asked = await ask(io, start, queue, { input, session });
    if (typeof asked === 'string') return leftEarlyCodes[asked];
    const opened = { context: queue.context, run: asked, ours: connection.serves() };
    const printed = options.json === true ? 'report' : 'answer';
    return await followToEnd(io, opened, options, {
      untilWaiting: !options.wait,
      onInterrupt: 'cancel',
      printed,
    });
  } catch (error) {
    // The next question may find a server or a worker again.
    await connection.reset();
    const { line, code } = failureOf(error);
    say(io, line);
    return code;
  }
}

/** The question's run when its turn has come, or why the command ends before. */
async function ask(
  io: Io,
  { agent, options }: ChatStart,
  { context, taskQueue }: ServedQueue,
  { input, session }: { input: string; session: string | undefined },
): Promise<AgentRun | LeftEarly> {
  const own = { id: newRunId(agent), variables: options.var, ...overridesIn(options) };
  if (session === undefined) return context.client.start(agent, input, { ...own, taskQueue });
  const { run, left } = await awaitTurn(io, context, {
    name: session,
    agent,
    input,
    taskQueue,
    options: own,
    heldUp: options.wait ? undefined : untilHeldUp(context, flagsToRepeat(options)),
  });
  return left ?? run;
}

/** The lines of stdin without empty ones. A `\` at the end of a line joins it with the next one. */
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
