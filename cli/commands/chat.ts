import { temporalSettings } from '../../client/connect.ts';
import { prepareWorker } from '../../worker/run-worker.ts';
import { checkTakesHistory } from '../ask-in-session.ts';
import { createChatLink, takesHistory } from '../chat/chat-link.ts';
import type { ChatOptions } from '../chat/chat-state.ts';
import { chooseAgent } from '../chat/choose-agent.ts';
import { liveChat } from '../chat/live-chat.ts';
import { pipedChat } from '../chat/piped-chat.ts';
import { newSessionName } from '../chat/session-name.ts';
import { checkAgent, checkModel, checkVariables, configFor } from '../check-agent.ts';
import type { Io } from '../io.ts';

/** `reloop chat`: question after question in one conversation, with one server and one worker for all of them. */
export async function chat(io: Io, named: string | undefined, options: ChatOptions): Promise<number> {
  const serverIsNamed = temporalSettings(options).address !== undefined;
  const config = await configFor(options, serverIsNamed);
  const loaded = config?.loaded;
  const atTerminal = isTerminal(io);
  const agent = await chooseAgent(io, config, named, atTerminal);
  if (loaded !== undefined) {
    checkAgent(loaded, agent);
    if (options.session !== undefined) checkTakesHistory(loaded, agent);
    if (options.var !== undefined) checkVariables(loaded, agent, options.var);
    if (!serverIsNamed) checkModel(loaded, agent, options.model);
  }
  if (!serverIsNamed) prepareWorker();
  const link = createChatLink(options, config);
  try {
    const { client } = await link.server(io);
    const session = options.session ?? (await newSessionName(client));
    client.session(session); // throws for a name that none can have
    await link.reach(io, { agent, session: takesHistory(loaded, agent) ? session : undefined });
    const start = { link, config, options, agent, session };
    return await (atTerminal ? liveChat(io, start) : pipedChat(io, start));
  } finally {
    await link.lose();
  }
}

/** One that can draw: a prompt is edited there. */
function isTerminal({ stdin, stderr, env }: Io): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && env['TERM'] !== 'dumb';
}
