import { temporalSettings } from '../../client/connect/connect.ts';
import { cliName } from '../../client/connect/cli-name.ts';
import { prepareWorker } from '../../worker/run-worker.ts';
import { type ChatOptions, createChatConnection } from '../chat/chat.ts';
import { newSessionName, takesHistory } from '../chat/chat-session.ts';
import { liveChat } from '../chat/conversation.ts';
import { pipedChat } from '../chat/piped-chat.ts';
import { checkModel, checkQuestion, configFor } from '../connection/command-config.ts';
import type { CommandConfig } from '../connection/task-queue.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { fit } from '../shell/display.ts';
import { type Io, UsageError, ask, columnsOf, say } from '../shell/io.ts';
import { isAnsiTerminal } from '../shell/on-terminal.ts';

/** `reloop chat`: question after question in one conversation, with one server and one worker for all of them. */
export async function chat(io: Io, named: string | undefined, options: ChatOptions): Promise<number> {
  const serverIsNamed = temporalSettings(options).address !== undefined;
  const config = await configFor(options, serverIsNamed);
  const loaded = config?.loaded;
  const atTerminal = io.stdin.isTTY === true && isAnsiTerminal(io.stderr, io.env);
  const agent = await chooseAgent(io, config, named, atTerminal);
  if (loaded !== undefined) {
    checkQuestion(loaded, agent, options);
    if (!serverIsNamed) checkModel(loaded, agent, options.model);
  }
  if (!serverIsNamed) prepareWorker();
  const connection = createChatConnection(options, config);
  try {
    const { client } = await connection.server(io);
    const session = options.session ?? (await newSessionName(client));
    client.session(session); // throws for a name that none can have
    await connection.connect(io, { agent, session: takesHistory(config, agent) ? session : undefined });
    const start = { connection, config, options, agent, session };
    return await (atTerminal ? liveChat(io, start) : pipedChat(io, start));
  } finally {
    await connection.reset();
  }
}

/** The agent to talk to: the named one, the only one, or one picked from a list. Throws UsageError. */
async function chooseAgent(
  io: Io,
  config: CommandConfig | undefined,
  named: string | undefined,
  atTerminal: boolean,
): Promise<string> {
  if (named !== undefined) return named;
  const names = [...(config?.loaded.agents.keys() ?? [])];
  const [only, second] = names;
  if (only === undefined)
    throw new UsageError(`There is no config here, so name the agent: ${cliName()} chat AGENT`);
  if (second === undefined) return only;
  if (!atTerminal)
    throw new UsageError(`Which agent? ${cliName()} chat AGENT. The config has: ${names.join(', ')}.`);
  for (const [index, [name, { description = '' }]] of [...(config?.loaded.agents ?? [])].entries())
    say(
      io,
      fit(
        `${String(index + 1).padStart(3)}  ${name}  ${oneLine(description)}`.trimEnd(),
        columnsOf(io.stderr),
      ),
    );
  const typed = await ask(io, 'Which agent? (a number or a name) ');
  const chosen = names.includes(typed) ? typed : names[Number(typed) - 1];
  if (chosen === undefined) throw new UsageError(`"${typed}" is not one of them: ${cliName()} chat AGENT`);
  return chosen;
}
