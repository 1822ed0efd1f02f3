/** A command of a chat as it is typed: `/agent NAME`. */
export interface TypedCommand {
  word: string;
  rest: string;
}

/** undefined for what is no command: a question may well begin with /etc/passwd, or with a blank. */
export function commandOf(text: string): TypedCommand | undefined {
  const [, word, rest = ''] = /^\/([a-z]+)(?:\s+([^]*))?$/u.exec(text.trimEnd()) ?? [];
  return word === undefined ? undefined : { word, rest: rest.trim() };
}

interface CommandHelp {
  usage: string;
  does: string;
}

/** What a chat takes beside questions, in the order in which people are told of it. */
export const commandHelp: readonly CommandHelp[] = [
  { usage: '/show', does: 'the last turn with every step in full (also /steps)' },
  { usage: '/retry', does: 'go back to where the last turn failed' },
  { usage: '/agent NAME', does: 'go on with another agent; without NAME: which there are' },
  { usage: '/session NAME', does: 'go on with another conversation; without NAME: which this is' },
  { usage: '/clear', does: 'forget what was said in this conversation' },
  { usage: '/exit', does: 'end the chat (also Ctrl-D)' },
];

/** The same while a run is at work. */
export const turnHelp: readonly CommandHelp[] = [
  { usage: '/say TEXT', does: 'tell the agent something; it sees it at its next step' },
  { usage: '/cancel', does: 'end the run (Ctrl-C asks)' },
  { usage: '/pause, /resume', does: 'begin nothing any more, and go on' },
];
