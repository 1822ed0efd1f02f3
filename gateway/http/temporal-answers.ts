import type { AgentClient } from '../../client/api/agent-client.ts';

/** A probe must not wait as long as a request may. */
const ANSWER_MS = 3000;

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
