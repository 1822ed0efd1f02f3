import { ApplicationFailure, type Context } from '@temporalio/activity';
import { LRUCache } from 'lru-cache';
import type { Json } from '../../agent/values/vocabulary.ts';
import { type EndedCalls, readEndedCalls } from '../../history/views/earlier-calls.ts';
import { isNoWorkflow } from '../../history/read/pages.ts';
import type { EarlierCall } from '../../adapters/tools/tool.ts';

/** Bytes of inputs and outputs that a worker process keeps, so that it need not read them again. */
const CACHE_BYTES = 16_000_000;

/** A cache by run, agent and tool. Run ids are unique over all servers, so the workers of one process share it. */
const cache = new LRUCache<string, EndedCalls>({
  maxSize: CACHE_BYTES,
  sizeCalculation: ({ bytes }) => 1 + bytes,
});

/**
 * Calls of one tool that ended before this one, over all the runs of the lineage, oldest first. Throws the failure `TranscriptGone` if one of
 * the runs is past the namespace's retention.
 */
export async function earlierCalls(
  { client, info }: Context,
  tool: string,
  scope: number,
): Promise<EarlierCall[]> {
  const run = info.workflowExecution;
  if (run === undefined) return [];
  const key = (runId: string) => `${runId}/${scope}/${tool}`;
  const known = ({ runId }: { runId: string }) => cache.get(key(runId));
  const ended = await readEndedCalls(client, run, { tool, scope }, known).catch((error: unknown) => {
    throw isNoWorkflow(error) ? callsGone(tool, run.runId) : error;
  });
  cache.set(key(run.runId), ended);
  return ended.calls.map(({ call, toolInput, output }) => ({
    call,
    toolInput: ownCopy(toolInput),
    output: ownCopy(output),
  }));
}

function callsGone(tool: string, runId: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'TranscriptGone',
    message: `The earlier calls of ${tool} are recorded in a run that run ${runId} continues, and that is past the namespace's retention. Start a new run.`,
    nonRetryable: true,
  });
}

/** A tool may change its argument; the cached value stays unchanged. */
function ownCopy(value: Json): Json {
  return typeof value === 'object' ? structuredClone(value) : value;
}
