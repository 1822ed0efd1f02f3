import { type SearchAttributePair, defineSearchAttributeKey } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { isOwnStatus, searchAttribute } from '../../agent/values/names.ts';
import type { RunStatus } from '../../agent/values/vocabulary.ts';

/** Named types, because TypeScript would declare the inferred types by a path inside Temporal's package that Node does not find. */
type Keyword = ReturnType<typeof defineSearchAttributeKey<'KEYWORD'>>;
type KeywordList = ReturnType<typeof defineSearchAttributeKey<'KEYWORD_LIST'>>;

const ReloopAgent: Keyword = defineSearchAttributeKey(searchAttribute.agent, 'KEYWORD');
export const ReloopSession: Keyword = defineSearchAttributeKey(searchAttribute.session, 'KEYWORD');
const ReloopTags: KeywordList = defineSearchAttributeKey(searchAttribute.tags, 'KEYWORD_LIST');
const ReloopStatus: Keyword = defineSearchAttributeKey(searchAttribute.status, 'KEYWORD');

/** Maximum of characters in a search attribute. The server refuses values of more than 2 KB, and the workflow task would fail for ever. */
const MOST_CHARS = 500;

/** Search attributes of a session's workflow, and of its runs. */
export function sessionAttributes(name: string): SearchAttributePair[] {
  return [{ key: ReloopSession, value: name }];
}

/** Facts of a run that its fixed search attributes hold. */
export interface Attributed {
  agent: string;
  session?: string | undefined;
  tags?: readonly string[] | undefined;
}

/** Search attributes that do not change during a run. Empty if the agent's name is too long. */
export function fixedAttributes({ agent, session, tags }: Attributed): SearchAttributePair[] {
  if (agent.length > MOST_CHARS) return [];
  return [
    { key: ReloopAgent, value: agent },
    ...(session === undefined ? [] : sessionAttributes(session)),
    ...(tags === undefined ? [] : [{ key: ReloopTags, value: [...tags] }]),
  ];
}

/** Search attributes of a child workflow, if this workflow has search attributes: then the server knows them. */
export function childAttributes(child: Attributed): { typedSearchAttributes?: SearchAttributePair[] } {
  const areKnown = workflowInfo().typedSearchAttributes.get(ReloopAgent) !== undefined;
  return areKnown ? { typedSearchAttributes: fixedAttributes(child) } : {};
}

export type StatusWriter = (status: RunStatus) => void;

const nothing: StatusWriter = () => undefined;

/**
 * Writes the fixed attributes if the run's start did not, and returns a function that writes the status if Temporal's status does
 * not show it. A run that starts with its attributes and never waits writes none. An attribute that the server does not know would block
 * the workflow for ever, so nothing is written unless the start had attributes, or `areRegistered`: recorded when the agent was resolved.
 */
export function statusWriter(areRegistered: boolean, attributed: Attributed): StatusWriter {
  const { typedSearchAttributes: started } = workflowInfo();
  if (started.get(ReloopAgent) === undefined) {
    const missing = fixedAttributes(attributed);
    if (!areRegistered || missing.length === 0) return nothing;
    upsertSearchAttributes(missing);
  }
  let written: string | null = started.get(ReloopStatus) ?? null;
  return (status) => {
    const value = isOwnStatus(status) ? status : null;
    if (value === written) return;
    upsertSearchAttributes([{ key: ReloopStatus, value }]);
    written = value;
  };
}
