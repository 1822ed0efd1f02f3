import { decisionNames } from '../../agent/rules/decisions.ts';
import { runMessageNames } from '../../agent/rules/run-messages.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import type { Fact } from '../../history/read/fact.ts';
import type { AuditEntry } from './run-export.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';
import type { RunFact } from '../../agent/run/run-fact.ts';

const words: readonly string[] = [...decisionNames, ...runMessageNames];

/**
 * Returns the entries of a fact: the start of a run, and people's decisions and messages, each with its sender. `of`: the meaning of the fact for
 * the run.
 */
export async function auditOf(fact: Fact, of: RunFact | undefined): Promise<AuditEntry[]> {
  const { at } = fact;
  if (fact.type === 'started') return auditOfStart(fact, of?.type === 'started' ? of.input : undefined);
  if (fact.type === 'cancel_requested')
    return [{ at, word: 'cancel', by: null, identity: fact.identity ?? null }];
  return fact.type === 'update_completed' ? auditOfUpdate(fact, of) : [];
}

/** A start by a person or a program, not by another workflow that continues as this one or has this one as its sub-agent. */
function auditOfStart(
  { at, identity, previousRunId }: Extract<Fact, { type: 'started' }>,
  { caller, session, restart, by }: Partial<AgentRunInput> = {},
): AuditEntry[] {
  if (previousRunId !== undefined || caller !== undefined) return [];
  if (restart !== undefined)
    return [{ at, word: restart.by, by: restart.sender ?? null, identity: identity ?? null }];
  // The session's workflow has started the run.
  return [
    { at, word: 'start', by: by ?? null, identity: (session === undefined ? identity : undefined) ?? null },
  ];
}

async function auditOfUpdate(
  { at, name = '', input, error, identity = '' }: Extract<Fact, { type: 'update_completed' }>,
  of: RunFact | undefined,
): Promise<AuditEntry[]> {
  if (!words.includes(name) || (of === undefined && error === undefined)) return [];
  const sent = await input?.();
  const given = fieldsOf(sent);
  const { by } = given;
  const named = typeof sent === 'string' ? sent : given['call'];
  const call = of?.type === 'call' ? of.call : typeof named === 'string' ? named : undefined;
  const isDecision = !runMessageNames.some((message) => message === name);
  return [
    {
      at,
      word: name,
      by: typeof by === 'string' ? by : null,
      identity: identity === '' ? null : identity,
      ...(isDecision && call !== undefined ? { call } : {}),
      ...(error === undefined ? {} : { refused: (await error()).message }),
    },
  ];
}
