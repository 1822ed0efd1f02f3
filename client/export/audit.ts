import { decisionNames } from '../../agent/rules/decisions.ts';
import { runMessageNames } from '../../agent/rules/run-messages.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import type { Fact } from '../../history/read/fact.ts';
import { asDecision, asRunMessage } from '../../history/read/records.ts';
import type { AuditEntry } from './run-export.ts';
import { asRunInput } from '../../agent/run/run-input.ts';

const words: readonly string[] = [...decisionNames, ...runMessageNames];

/** The starts of a run and people's decisions and messages in its history, each with its sender. */
export async function auditOf(facts: readonly Fact[]): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (const fact of facts) {
    if (fact.type === 'started') entries.push(...(await auditOfStart(fact)));
    if (fact.type === 'cancel_requested') {
      const { at, identity = null } = fact;
      entries.push({ at, word: 'cancel', by: null, identity });
    }
    if (fact.type === 'update_completed') entries.push(...(await auditOfUpdate(fact)));
  }
  return entries;
}

/** A start by a person or a program, not by another workflow that continues as this one or has this one as its sub-agent. */
async function auditOfStart({
  at,
  input,
  identity,
  previousRunId,
}: Extract<Fact, { type: 'started' }>): Promise<AuditEntry[]> {
  const { caller, session, restart, by = null } = asRunInput(await input()) ?? {};
  if (previousRunId !== undefined || caller !== undefined) return [];
  if (restart !== undefined)
    return [{ at, word: restart.by, by: restart.sender ?? null, identity: identity ?? null }];
  // The session's workflow has started the run.
  return [{ at, word: 'start', by, identity: (session === undefined ? identity : undefined) ?? null }];
}

async function auditOfUpdate({
  at,
  name = '',
  input,
  result,
  error,
  identity = '',
}: Extract<Fact, { type: 'update_completed' }>): Promise<AuditEntry[]> {
  if (!words.includes(name)) return [];
  const [sent, receipt] = [await input?.(), await result?.()];
  const decided = asDecision(receipt, sent);
  if (decided === undefined && asRunMessage(receipt, sent) === undefined && error === undefined) return [];
  const given = fieldsOf(sent);
  const { by } = given;
  const named = typeof sent === 'string' ? sent : given['call'];
  const call = decided?.call ?? (typeof named === 'string' ? named : undefined);
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
