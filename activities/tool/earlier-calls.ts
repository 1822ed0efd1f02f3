import type { Context } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import type { Json } from '../../agent/values/vocabulary.ts';
import { type EndedCalls, readEndedCalls } from '../../history/views/earlier-calls.ts';
import type { EarlierCall } from '../../tools/tool.ts';

/** Bytes of inputs and outputs that a worker process keeps, so that it need not read them again. */
const CACHE_BYTES = 16_000_000;

/** Only a cache: by run, agent and tool. Run ids are the world's, so the workers of one process share it. */
const cache = new LRUCache<string, EndedCalls>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ bytes }) => 1 + bytes,
});

/** Calls of one tool that ended before this one, over all the runs of the lineage, oldest first. */
export async function earlierCalls(
  { client, info }: Context,
  tool: string,
  scope: number,
): Promise<EarlierCall[]> {
  const run = info.workflowExecution;
  if (run === undefined) return [];
  const key = (runId: string) => `${runId}/${scope}/${tool}`;
  const ended = await readEndedCalls(client, run, { tool, scope }, ({ runId }) => cache.get(key(runId)));
  cache.set(key(run.runId), ended);
  return ended.calls.map(({ call, toolInput, output }) => ({
    call,
    toolInput: ownCopy(toolInput),
    output: ownCopy(output),
  }));
}

/** A tool may change its argument; the cached value stays unchanged. */
function ownCopy(value: Json): Json {
  return typeof value === 'object' ? structuredClone(value) : value;
}
