import type { Client, WorkflowStartOptions } from '@temporalio/client';
import { fieldsOf } from '../../agent/values/json-object.ts';
import { searchAttribute } from '../../agent/values/names.ts';
import { isInvalidArgument } from '../../history/read/pages.ts';
import { fixedAttributes, sessionAttributes } from '../../workflows/messages.ts';
import type { AgentRunInput } from '../../agent/run/run-input.ts';

/** Search attributes of a start: none if the server does not know them. */
export type StartAttributes = Pick<WorkflowStartOptions, 'searchAttributes' | 'typedSearchAttributes'>;

/** Servers that did not know the attributes, and until when they are not offered them again: a worker may register them. */
const refusedUntil = new WeakMap<Client, number>();
const OFFER_AGAIN_MS = 60_000;

/**
 * Starts a workflow with search attributes, or without them if the server does not know them: it refuses such a start
 * as a whole, so no workflow is started twice.
 */
export async function startWithAttributes<T>(
  client: Client,
  attributes: StartAttributes,
  start: (attributes: StartAttributes) => Promise<T>,
): Promise<T> {
  if (Date.now() < (refusedUntil.get(client) ?? 0)) return start({});
  try {
    return await start(attributes);
  } catch (error) {
    if (!isInvalidArgument(error) && !isInvalidArgument(fieldsOf(error)['cause'])) throw error;
    const started = await start({});
    refusedUntil.set(client, Date.now() + OFFER_AGAIN_MS);
    return started;
  }
}

/** The tags of a new run, or of one that continues another. */
export function tagsOf({ overrides, manifest }: AgentRunInput): readonly string[] | undefined {
  return overrides?.tags ?? manifest?.tags;
}

export function attributesOfRun(input: AgentRunInput): StartAttributes {
  const { agent, session } = input;
  return withKnown(fixedAttributes({ agent, session, tags: tagsOf(input) }), [searchAttribute.status]);
}

/** Search attributes of a session's workflow. They show the session that its runs may have theirs. */
export function attributesOfSession(name: string): StartAttributes {
  return withKnown(sessionAttributes(name), [
    searchAttribute.agent,
    searchAttribute.status,
    searchAttribute.tags,
  ]);
}

/** An empty value has the server check that it knows the attribute, which is written later: it keeps none. */
function withKnown(
  typedSearchAttributes: ReturnType<typeof fixedAttributes>,
  later: readonly string[],
): StartAttributes {
  if (typedSearchAttributes.length === 0) return {};
  return { typedSearchAttributes, searchAttributes: Object.fromEntries(later.map((name) => [name, []])) };
}
