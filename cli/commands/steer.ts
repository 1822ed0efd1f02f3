import { type RunMessageName, readRunMessage } from '../../agent/rules/run-messages.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type Io, UsageError, say } from '../shell/io.ts';
import { pauseText } from '../print/trace/trace-words.ts';
import type { CommonOptions } from '../options/options.ts';
import { decided } from './decide.ts';

/** `reloop say`, `pause`, `resume` and `extend`: says something to a run as a whole. */
export async function steer(
  io: Io,
  id: string,
  name: RunMessageName,
  data: unknown,
  options: CommonOptions,
): Promise<number> {
  checkData(name, data);
  const act = async (run: AgentRun) => {
    await run.tell(name, data);
    if (name === 'resume') for (const text of await stillPaused(run)) say(io, `note: ${text}`);
    return { id, decision: name };
  };
  return decided(io, id, act, options, name === 'pause' ? 'nothing' : 'an answer');
}

/** Reloop's `resume` does not end a pause that Temporal's own command started. */
async function stillPaused(run: AgentRun): Promise<string[]> {
  const { pausedCalls = [] } = await run.describe().catch(() => ({ pausedCalls: undefined }));
  return pausedCalls.map((call) => pauseText({ type: 'call_paused', ...call }));
}

/** Refuses impossible data before any server is asked. */
function checkData(name: RunMessageName, data: unknown): void {
  try {
    readRunMessage(name, data);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
