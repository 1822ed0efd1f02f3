import type { AgentClient } from '../../client/index.ts';

/** A probe must not wait as long as a request may. */
const ANSWER_MS = 3000;

/** Anybody may ask: many probes at once are one question. */
const FRESH_MS = 1000;

/** Returns a function that answers from a result of the last second, where there is one. */
export function createProbe(
  ask: () => Promise<boolean>,
  now: () => number = Date.now,
): () => Promise<boolean> {
  let [last, at] = [undefined as Promise<boolean> | undefined, 0];
  return () => {
    if (last === undefined || now() - at >= FRESH_MS) [last, at] = [ask(), now()];
    return last;
  };
}

/** True if Temporal can be asked now. */
export async function temporalAnswers({ temporal }: AgentClient): Promise<boolean> {
  try {
    await temporal.connection.withDeadline(Date.now() + ANSWER_MS, () =>
      temporal.workflowService.getSystemInfo({}),
    );
    return true;
  } catch {
    return false;
  }
}
