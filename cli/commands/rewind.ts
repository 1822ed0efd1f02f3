import type { Io } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import { oneLine } from '../print/display.ts';
import { restarting, stepOf } from '../restarting.ts';

export interface RewindCommandOptions extends CommonOptions {
  to: string;
}

/** `reloop rewind`: steps from one on are done anew, by a run of the same id. */
export function rewind(io: Io, id: string, options: RewindCommandOptions): Promise<number> {
  const step = stepOf('rewind', id, options.to);
  return restarting(io, id, options, async (run) => {
    const receipt = await run.rewind({ step });
    return { receipt, line: `Run ${oneLine(id)} goes on from step ${step}, as run ${receipt.runId}` };
  });
}
