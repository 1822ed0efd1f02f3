import { randomInt } from 'node:crypto';
import { speakers } from '../../agent/session/session.ts';
import { contentText } from '../../agent/values/content.ts';
import type { AgentClient } from '../../client/api/agent-client.ts';
import type { SessionReport } from '../../client/api/agent-session.ts';
import { SessionNotFound, unless } from '../../client/connect/errors.ts';
import { shellWord, typedCommand } from '../../client/connect/cli-name.ts';
import { locationOfSession } from '../../client/read/run-location.ts';
import { withoutHistory } from '../connection/command-config.ts';
import type { CommandConfig } from '../connection/task-queue.ts';
import { flagsToRepeat } from '../options/options.ts';
import { count, oneLine } from '../../features/render/words/amounts.ts';
import { fit } from '../shell/display.ts';
import type { ChatStart } from './chat.ts';
import type { ChatTerminal } from './chat-terminal.ts';

const ADJECTIVES =
  'amber brave brisk calm clear clever cosy early eager fair fine gentle glad golden green happy keen kind light lively lucky mellow merry mild neat noble plain proud quick quiet rapid round sharp silver smooth sunny swift warm wise young';
const NOUNS =
  'alder badger beaver birch breeze brook cedar cliff cloud comet crane dune falcon fern field finch fjord fox harbor hare heron hill island lake lark maple meadow moon oak otter owl pine pond reef river robin stone swan thistle willow';

/** A name that is easy to type again, and that no open session has: `calm-otter`. */
export async function newSessionName({ temporal }: AgentClient): Promise<string> {
  for (let tries = 0; ; tries++) {
    const number = tries < 5 ? '' : `-${randomInt(100, 1000)}`;
    const name = `${oneOf(ADJECTIVES)}-${oneOf(NOUNS)}${number}`;
    if ((await unless(SessionNotFound, locationOfSession(temporal, name))) === undefined) return name;
  }
}

/** undefined for a session that does not exist. */
export function sessionOf(client: AgentClient, name: string): Promise<SessionReport | undefined> {
  return unless(SessionNotFound, client.session(name).describe());
}

const PREVIEWED = 6;

/** The end of a conversation, a line for each message; undefined for a session that does not exist. */
export async function previewLines(
  client: AgentClient,
  name: string,
  { colors, width }: Pick<ChatTerminal, 'colors' | 'width'>,
): Promise<string[] | undefined> {
  const report = await sessionOf(client, name);
  if (report === undefined) return undefined;
  const { messages } = report;
  const earlier = messages.length - PREVIEWED;
  return [
    ...(earlier > 0
      ? [`… ${count(earlier, 'earlier message')}: ${typedCommand('session show', [name])}`]
      : []),
    ...messages
      .slice(-PREVIEWED)
      .map(({ role, content }) => fit(`${speakers[role]}: ${oneLine(contentText(content))}`, width() - 3)),
  ].map((line) => colors.dim(`  ${line}`));
}

export function resumeCommand({
  agent,
  session,
  options,
}: Pick<ChatStart, 'agent' | 'session' | 'options'>): string {
  return typedCommand('chat', [agent], ['--session', shellWord(session), ...flagsToRepeat(options)]);
}

/** Returns true if the agent's prompt includes earlier messages, and also if this process has no config for the agent. */
export function takesHistory(config: CommandConfig | undefined, agent: string): boolean {
  return config === undefined || withoutHistory(config.loaded, agent) === undefined;
}

/** The note on an agent whose prompt has no place for earlier messages. */
export function statelessNote(config: CommandConfig | undefined, agent: string): string {
  const { kind = '', others = '' } = (config && withoutHistory(config.loaded, agent)) ?? {};
  return `Agent ${agent} is of kind ${kind}, whose prompt has no place for earlier messages: it sees each question alone. Kinds that remember: ${others}.`;
}

function oneOf(words: string): string {
  const list = words.split(' ');
  return list[randomInt(list.length)] ?? '';
}
