import { ApplicationFailure, proxyActivities, workflowInfo } from '@temporalio/workflow';
import { AUTHORIZE, type SentMessage, splitSender } from '../../agent/rules/sender.ts';
import { refusal } from '../../agent/values/refusal.ts';
import { HEARTBEAT_TIMEOUT } from '../temporal/activity-options.ts';

/** Resolves if a person's decision or message is accepted. Throws a refusal that ends the update, and changes nothing. */
export type AskAuthorize = (
  type: string,
  sent: unknown,
  about?: Pick<SentMessage, 'call' | 'tool'>,
) => Promise<void>;

/**
 * Makes a function that returns how to ask the config's `authorize`, in an activity; undefined: the run has no `authorize`. `agentOf`: the
 * agent whose config has it.
 */
export function createAuthorizer(agentOf: () => string | undefined): () => AskAuthorize | undefined {
  let asked = 0; // part of the activity id
  return () => {
    const agent = agentOf();
    if (agent === undefined) return undefined;
    return (type, sent, about) => askWorker(`authorize-${++asked}`, type, sent, { agent, ...about });
  };
}

async function askWorker(
  activityId: string,
  type: string,
  sent: unknown,
  about: Pick<SentMessage, 'agent' | 'call' | 'tool'>,
): Promise<void> {
  const { sender, data } = splitSender(type, sent);
  const word: SentMessage = { type, ...about, runId: workflowInfo().workflowId, ...sender, data };
  const activities = proxyActivities<{ [name: string]: (word: SentMessage) => Promise<string | null> }>({
    activityId,
    summary: sender.by === undefined ? type : `${type} by ${sender.by}`,
    startToCloseTimeout: '40s',
    heartbeatTimeout: HEARTBEAT_TIMEOUT,
    // The activity returns an error of `authorize` as a refusal: only the death of a worker is tried again.
    retry: { maximumAttempts: 5, initialInterval: '200ms', backoffCoefficient: 2 },
  });
  const problem = await activities[AUTHORIZE]?.(word).catch(
    () => 'no worker could ask authorize. Try again.',
  );
  if (problem !== null) throw refused(refusal(type, problem ?? 'authorize gave no answer.'));
}

/** Runs code that throws refusals, in a handler that has waited: another error would fail the workflow task. */
export function orRefused<R>(take: () => R): R {
  try {
    return take();
  } catch (error) {
    throw refused(error);
  }
}

function refused(error: unknown): ApplicationFailure {
  const message = error instanceof Error ? error.message : String(error);
  return ApplicationFailure.create({ message, type: 'DecisionRefused', nonRetryable: true });
}
