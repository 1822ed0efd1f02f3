import { createCallModel } from './call-model.ts';
import type { Dependencies } from './dependencies.ts';
import { createResolveAgent } from './resolve-agent.ts';
import { createToolActivity } from './run-tool.ts';
import { createTranscripts } from './transcripts.ts';

export type { Dependencies } from './dependencies.ts';
export { rememberToolMeta } from './tool-meta.ts';

/** All activities of a worker: the two of the loop, and one for each tool under the tool's own name. */
export function createActivities(dependencies: Dependencies) {
  const transcripts = createTranscripts(dependencies.transcriptCacheBytes);
  const tools: { [name: string]: ReturnType<typeof createToolActivity> } = {};
  for (const tool of dependencies.tools.values()) {
    tools[tool.name] = createToolActivity(tool, dependencies, transcripts);
  }
  return {
    ...tools,
    resolveAgent: createResolveAgent(dependencies),
    callModel: createCallModel(dependencies, transcripts),
  };
}
