import type { ToolResult } from '../agent/calls.ts';
import type { Json } from '../agent/vocabulary.ts';
import { EARLIER_EFFECTS } from '../agent/restart.ts';
import { AWAIT_SUCCESSOR } from '../agent/successor.ts';
import { awaitSuccessor } from './await-successor.ts';
import { earlierEffects } from './earlier-effects.ts';
import { createBacktestActivities } from './backtest-activities.ts';
import { createCallModel } from './call-model.ts';
import type { Dependencies } from './dependencies.ts';
import { type AnyActivity, createMissingTool } from './missing-tool.ts';
import { createObservations } from './observations.ts';
import { createResolveAgent } from './resolve-agent.ts';
import { createToolActivity } from './run-tool.ts';
import { createStoredImages } from './stored-images.ts';
import { createSummarizeConversation } from './summarize.ts';
import { createTranscripts } from './transcripts.ts';

export type { Dependencies } from './dependencies.ts';
export type { AnyActivity } from './missing-tool.ts';
export { rememberToolMeta } from './tool-meta.ts';

/**
 * All activities of a worker: the two of the loop, that of sessions, two for runs that were taken back, those of backtests, one for each tool under the tool's own name, and
 * `default` for names that it does not have; `ownDefault` is what the worker's owner has for those.
 */
export function createActivities(dependencies: Dependencies, ownDefault?: AnyActivity) {
  const { transcriptCacheBytes } = dependencies;
  const observations = createObservations(Math.ceil(transcriptCacheBytes / 4));
  const transcripts = createTranscripts(transcriptCacheBytes, observations);
  const tools: { [name: string]: (input: Json) => Promise<ToolResult> } = {};
  for (const tool of dependencies.tools.values()) {
    if (tool.remote !== undefined) continue;
    tools[tool.name] = createToolActivity(tool, dependencies, transcripts, observations);
  }
  return {
    ...tools,
    ...createBacktestActivities(observations),
    resolveAgent: createResolveAgent(dependencies),
    callModel: createCallModel(
      dependencies,
      transcripts,
      observations,
      createStoredImages(Math.ceil(transcriptCacheBytes / 4)),
    ),
    summarizeConversation: createSummarizeConversation(dependencies),
    [EARLIER_EFFECTS]: earlierEffects,
    [AWAIT_SUCCESSOR]: awaitSuccessor,
    default: createMissingTool(Object.keys(tools), ownDefault),
  };
}
