import type { Client } from '@temporalio/client';
import type { RunOverrides } from '../../agent/start/overrides.ts';
import type { Content } from '../../agent/values/content.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import { readRunFacts } from '../../history/read/lineage.ts';
import type { RunOwnership } from '../../workflows/messages.ts';
import { RunNotFound } from '../connect/errors.ts';
import { locationOfRun } from '../read/run-location.ts';
import { asRunInput } from '../../agent/run/run-input.ts';

/** Labels of a run. `agent`: empty for a workflow that is not a run. */
export interface RunLabels extends RunOwnership {
  agent: string;
}

/** The start of a run as its history has it. */
export interface RecordedStart {
  agent: string;
  input: Content;
  session?: string | undefined;
  /** Earlier messages of a run without a session; a session has its own. */
  chatHistory?: readonly ChatMessage[] | undefined;
  variables?: { [name: string]: string } | undefined;
  overrides: RunOverrides;
}

/** Reads the first start of a run. undefined: the record has none. Throws RunNotFound. */
export async function recordedStart(client: Client, id: string): Promise<RecordedStart | undefined> {
  const { runId } = await locationOfRun(client, id);
  for await (const { fact } of readRunFacts(client, { workflowId: id, runId })) {
    if (fact.type !== 'started') continue;
    const { agent, question, session, overrides = {} } = asRunInput(await fact.input()) ?? {};
    if (agent === undefined || question === undefined) return undefined;
    const { input, chatHistory, variables } = question;
    return {
      agent,
      input,
      session,
      chatHistory: session === undefined ? chatHistory : undefined,
      variables,
      overrides,
    };
  }
  throw new RunNotFound(id);
}
