import type { Wait } from '../../agent/rules/waiting.ts';
import type { AskTimeout } from '../../agent/definition/manifest.ts';
import type { OperatorDecision } from '../../agent/rules/decisions.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { AgentLoop } from '../run/agent-loop.ts';
import { logResumed, logWaiting } from '../operator/emit.ts';
import type { OpenCall } from '../operator/open-call.ts';

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
  const waiting = { call: open.id, n: open.waitNumber, ...question };
  emit?.({ type: 'waiting', wait: waiting });
  logWaiting(waiting);
  const decision = await open.wait(waiting, { token, timeoutMs: timeout?.afterMs, figure, endsWhen });
  const isOver = endsWhen?.() === true;
  logResumed(
    waiting,
    decision?.type ?? (isOver ? 'no decision is needed any more' : 'nobody decided in time'),
  );
  if (decision === undefined && !isOver) emit?.({ type: 'unanswered', call: open.id });
  return decision;
}

/** Waits until `until`, or until a person decides sooner. Throws CancelledFailure. */
export async function askUntil(
  { emit }: Pick<AgentLoop, 'emit'>,
  open: OpenCall,
  question: Omit<Question, 'timeout' | 'token' | 'figure' | 'endsWhen'> & { until: number },
): Promise<OperatorDecision | undefined> {
  const waiting = { call: open.id, n: open.waitNumber, ...question };
  emit?.({ type: 'waiting', wait: waiting });
  logWaiting(waiting);
  let decision: OperatorDecision | undefined;
  try {
    decision = await open.wait(waiting, { timeoutMs: question.until - Date.now() });
  } finally {
    if (decision === undefined) emit?.({ type: 'resumed', call: open.id });
  }
  return decision;
}
