import type { Wait } from '../agent/events.ts';
import type { AskTimeout } from '../agent/manifest.ts';
import type { OperatorDecision } from '../agent/rules/decisions.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { AgentLoop } from './agent-loop.ts';
import { logWaiting } from './emit.ts';
import type { OpenCall } from './open-call.ts';

/** What a person is asked about. */
export interface Question extends Wait {
  tool: string;
  toolInput: Json;
  /** What a decision that comes with a token has to bring. */
  token?: string | undefined;
  /** In place of the tool's name in what is recorded: the limit that the run has come to. */
  figure?: string | undefined;
  /** What ends the wait beside a decision. */
  endsWhen?: (() => boolean) | undefined;
  /** Default: a person is waited for as long as it takes. */
  timeout?: AskTimeout | undefined;
}

/** Waits for a person's decision on a call, a tool's or the model's; undefined when nobody has made one in time, or none is needed. */
export async function ask(
  { emit }: Pick<AgentLoop, 'emit'>,
  open: OpenCall,
  { token, timeout, figure, endsWhen, ...question }: Question,
): Promise<OperatorDecision | undefined> {
  const waiting = { call: open.id, n: open.park, ...question };
  emit?.({ type: 'waiting', park: waiting });
  logWaiting(waiting);
  const decision = await open.wait(waiting, { token, timeoutMs: timeout?.afterMs, figure, endsWhen });
  if (decision === undefined && endsWhen?.() !== true) emit?.({ type: 'unanswered', call: open.id });
  return decision;
}
