import { type RunMessageName, readRunMessage } from '../../agent/rules/run-messages.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { type Io, UsageError } from '../shell/io.ts';
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
    return { id, decision: name };
  };
  return decided(io, id, act, options, name === 'pause' ? 'nothing' : 'an answer');
}

/** Refuses impossible data before any server is asked. */
function checkData(name: RunMessageName, data: unknown): void {
  try {
    readRunMessage(name, data);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
