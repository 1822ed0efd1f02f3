import type { WaitingCall } from '../../agent/events.ts';
import type { RunReport } from '../../client/report.ts';
import type { CommandConfig } from '../task-queue.ts';
import type { ChatLink, LinkOptions } from './chat-link.ts';
import type { ChatTerminal } from './chat-terminal.ts';
import type { FoldedTrace } from './folded-trace.ts';
import type { Happening } from './happening.ts';
import type { Mailbox } from './mailbox.ts';

export interface ChatOptions extends LinkOptions {
  session?: string;
  /** Values for the agent's own {names}, as `name=value`. */
  var?: { [name: string]: string };
  wait: boolean;
}

/** A chat at a terminal. */
export interface Chat {
  terminal: ChatTerminal;
  mailbox: Mailbox<Happening>;
  link: ChatLink;
  config: CommandConfig | undefined;
  options: ChatOptions;
  agent: string;
  /** Name of the conversation. */
  session: string;
  /** The conversation is there: something was said in it. */
  begun: boolean;
  /** Questions that were typed while a run was at work. */
  ahead: string[];
  /** Id of the latest run. */
  last: string | undefined;
  /** Runs that go on without being looked at. */
  detached: Set<string>;
  /** How many runs were followed. */
  turns: number;
}

/** A run that is followed. */
export interface Turn {
  number: number;
  id: string;
  taskQueue: string;
  report: RunReport;
  trace: FoldedTrace;
  /** Resolves when the run is there: in a conversation it may have to wait for its turn. */
  started: Promise<unknown>;
  /** Events there were when following began: waits among them may be over. */
  recorded: number;
  seen: number;
  /** What was seen before is told again up to where the run begins again: not shown. */
  silent: boolean;
  /** Detach, cancel or go on? */
  leaving: boolean;
  /** The call that the prompt asks about. */
  offered: WaitingCall | undefined;
  /** Waits that were decided here. */
  decided: Set<string>;
}

/** How following a run ended. */
export type TurnEnd =
  | { type: 'over'; report: RunReport }
  | { type: 'detached' }
  | { type: 'lost'; error: unknown }
  /** The chat ends. */
  | { type: 'leave'; code: number };

/** One wait of one call. */
export function waitKey({ call, n }: Pick<WaitingCall, 'call' | 'n'>): string {
  return `${call} ${n}`;
}
