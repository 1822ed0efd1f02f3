import { contentText } from '../../agent/content.ts';
import { reloop } from '../../client/typed-command.ts';
import type { AgentClient } from '../../client/agent-client.ts';
import type { SessionReport } from '../../client/agent-session.ts';
import { SessionNotFound } from '../../client/errors.ts';
import { flagsToRepeat } from '../options.ts';
import { count, shellWord } from '../print/display.ts';
import type { Chat } from './chat-state.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import { turnLine } from './folded-words.ts';

const SHOWN = 6;

/** The end of a conversation, a line for each message; undefined for one that is not there. */
export async function recallLines(
  client: AgentClient,
  name: string,
  { colors, width }: Pick<ChatTerminal, 'colors' | 'width'>,
): Promise<string[] | undefined> {
  const report = await sessionOf(client, name);
  if (report === undefined) return undefined;
  const { messages } = report;
  const earlier = messages.length - SHOWN;
  const speaker = { user: 'You', assistant: 'Agent', system: 'Notes', tool: 'Tool' } as const;
  return [
    ...(earlier > 0
      ? [`… ${count(earlier, 'earlier message')}: ${reloop()} session show ${shellWord(name)}`]
      : []),
    ...messages
      .slice(-SHOWN)
      .map(({ role, content }) => turnLine(speaker[role], contentText(content), width() - 3)),
  ].map((line) => colors.dim(`  ${line}`));
}

/** undefined for a session that is not there. */
export async function sessionOf(client: AgentClient, name: string): Promise<SessionReport | undefined> {
  try {
    return await client.session(name).describe();
  } catch (error) {
    if (error instanceof SessionNotFound) return undefined;
    throw error;
  }
}

/** The command that goes on with a chat. */
export function comeBack({ agent, session, options }: Pick<Chat, 'agent' | 'session' | 'options'>): string {
  return [
    reloop(),
    'chat',
    shellWord(agent),
    '--session',
    shellWord(session),
    ...flagsToRepeat(options),
  ].join(' ');
}
