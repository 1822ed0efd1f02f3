import type { AgentRun } from '../../client/agent-run.ts';
import { pollers } from '../../client/task-queue.ts';
import type { TemporalSession } from '../context.ts';

const PATIENCE_MS = 3000;

/** Says once that nobody works on a run, if so; returns what takes that back. */
export function warnWithoutWorker(
  session: Pick<TemporalSession, 'client' | 'notify'>,
  run: Pick<AgentRun, 'info'>,
): () => void {
  const check = async () => {
    const { open, taskQueue } = await run.info();
    if (!open || (await pollers(session.client.temporal, taskQueue)).length > 0) return;
    session.notify(`No worker polls task queue ${taskQueue}: start one with \`reloop worker\`.`);
  };
  const timer = setTimeout(() => void check().catch(() => undefined), PATIENCE_MS);
  return () => clearTimeout(timer);
}
