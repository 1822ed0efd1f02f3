import { type SearchAttributePair, defineSearchAttributeKey } from '@temporalio/common';
import { searchAttribute } from '../agent/names.ts';

export const ReloopAgent = defineSearchAttributeKey(searchAttribute.agent, 'KEYWORD');
export const ReloopSession = defineSearchAttributeKey(searchAttribute.session, 'KEYWORD');
export const ReloopStatus = defineSearchAttributeKey(searchAttribute.status, 'KEYWORD');

/** A server refuses a value of more than 2 KB, and a workflow task that has one fails for ever. */
const MOST_CHARS = 500;

/** Of a session's workflow; its runs have it too. */
export function sessionAttributes(name: string): SearchAttributePair[] {
  return [{ key: ReloopSession, value: name }];
}

/** What stays the same all through a run: whose it is. Empty where that cannot be an attribute. */
export function fixedAttributes(agent: string, session?: string): SearchAttributePair[] {
  if (agent.length > MOST_CHARS) return [];
  return [{ key: ReloopAgent, value: agent }, ...(session === undefined ? [] : sessionAttributes(session))];
}
