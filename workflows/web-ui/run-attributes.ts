import { type SearchAttributePair, defineSearchAttributeKey } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { isOwnStatus, searchAttribute } from '../../agent/values/names.ts';
import type { RunStatus } from '../../agent/values/vocabulary.ts';

/** By its name: an inferred one is declared by a path of Temporal's that Node does not find. */
type Keyword = ReturnType<typeof defineSearchAttributeKey<'KEYWORD'>>;

export const ReloopAgent: Keyword = defineSearchAttributeKey(searchAttribute.agent, 'KEYWORD');
export const ReloopSession: Keyword = defineSearchAttributeKey(searchAttribute.session, 'KEYWORD');
const ReloopStatus: Keyword = defineSearchAttributeKey(searchAttribute.status, 'KEYWORD');

/** A server refuses a value of more than 2 KB, and a workflow task that has one fails for ever. */
const MOST_CHARS = 500;

/** The attributes of a session's workflow. Its runs have them too. */
export function sessionAttributes(name: string): SearchAttributePair[] {
  return [{ key: ReloopSession, value: name }];
}

/** The attributes that stay the same all through a run. None where the agent's name cannot be one. */
export function fixedAttributes(agent: string, session?: string): SearchAttributePair[] {
  if (agent.length > MOST_CHARS) return [];
  return [{ key: ReloopAgent, value: agent }, ...(session === undefined ? [] : sessionAttributes(session))];
}

export type StatusWriter = (status: RunStatus) => void;

const nothing: StatusWriter = () => undefined;

/**
 * Writes the search attributes that are missing: the agent and the session where the run's start did not bring them, and
 * the status while Temporal's own does not say it. A plain run that was started with its attributes writes none. An attribute
 * that the server does not know would block the workflow for good: those of a start it has accepted, and for a run without
 * them its resolution recorded whether they are registered.
 */
export function statusWriter(
  areRegistered: boolean,
  { agent, session }: { agent: string; session?: string | undefined },
): StatusWriter {
  const { typedSearchAttributes: brought } = workflowInfo();
  if (brought.get(ReloopAgent) === undefined) {
    const missing = fixedAttributes(agent, session);
    if (!areRegistered || missing.length === 0) return nothing;
    upsertSearchAttributes(missing);
  }
  let written: string | null = brought.get(ReloopStatus) ?? null;
  return (status) => {
    const value = isOwnStatus(status) ? status : null;
    if (value === written) return;
    upsertSearchAttributes([{ key: ReloopStatus, value }]);
    written = value;
  };
}
