import { type Io, print } from '../io.ts';
import { jsonOrText } from '../json-or-text.ts';
import type { CommonOptions } from '../options.ts';
import { oneLine } from '../print/display.ts';
import { restarting, stepOf } from '../restarting.ts';

export interface ForkCommandOptions extends CommonOptions {
  at: string;
  say?: string;
  model?: string;
  /** Observations as they were typed, by call. */
  edit?: { [call: string]: string };
  id?: string;
  maxIterations?: number | null;
  maxTime?: number;
}

/** `reloop fork`: a run of its own with the steps of another one. Prints its id. */
export function fork(io: Io, id: string, options: ForkCommandOptions): Promise<number> {
  const { at, say, model, edit = {}, maxIterations, maxTime } = options;
  const step = stepOf('fork', id, at);
  const edits = Object.fromEntries(Object.entries(edit).map(([call, text]) => [call, jsonOrText(text)]));
  return restarting(io, id, options, async (run) => {
    const receipt = await run.fork({
      step,
      say,
      model,
      edits,
      id: options.id,
      maxIterations,
      maxExecutionTime: maxTime,
    });
    if (options.json !== true) print(io, receipt.id);
    return { receipt, line: `Run ${oneLine(receipt.id)} goes on from step ${step} of run ${oneLine(id)}` };
  });
}
