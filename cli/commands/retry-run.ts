import type { Json } from '../../agent/vocabulary.ts';
import type { Io } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import { oneLine } from '../print/display.ts';
import { restarting } from '../restarting.ts';

/** `reloop retry` of a run that is over: it goes back to where it failed. */
export function retryRun(
  io: Io,
  id: string,
  given: { call?: string | undefined; input?: Json | undefined },
  options: CommonOptions,
): Promise<number> {
  return restarting(io, id, options, async (run) => {
    const receipt = await run.retry(given);
    const { calls, step, runId } = receipt;
    const where = calls.length === 0 ? `step ${step}` : `call ${calls.join(', ')}`;
    return { receipt, line: `Run ${oneLine(id)} goes on from ${where}, as run ${runId}` };
  });
}
