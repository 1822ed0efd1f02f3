import type { Tool } from '../adapters/tools/tool.ts';
import { EARLIER_EFFECTS } from '../agent/calls/restart.ts';
import { REWIND_POINT } from '../agent/run/run-input.ts';
import { AUTHORIZE } from '../agent/rules/sender.ts';
import { createAuthorize } from './run/authorize.ts';
import { earlierEffects } from './tool/earlier-effects.ts';
import { createBacktestActivities } from './turn/backtest-activities.ts';
import { createCallModel } from './turn/call-model.ts';
import { DELIVER_WEBHOOK, type WebhookDelivery } from '../agent/webhooks/delivery.ts';
import type { Dependencies } from './dependencies.ts';
import { type AnyActivity, createMissingTool } from './tool/missing-tool.ts';
import { createObservations } from './run/observations.ts';
import { createResolveAgent } from './run/resolve-agent.ts';
import { rewindPoint } from './run/read-rewind-point.ts';
import { createToolActivity } from './tool/run-tool.ts';
import { createStoredMedia } from './model/stored-media.ts';
import { createSummarizeConversation } from './turn/summarize.ts';
import { createTranscripts } from './run/transcripts.ts';

export type { Dependencies } from './dependencies.ts';
export type { AnyActivity } from './tool/missing-tool.ts';
export { rememberToolMeta } from './tool/tool-call.ts';

/**
 * All activities of a worker: two of the loop, one of sessions, two for runs that do steps again, one that asks `authorize`, one that sends webhooks, those of backtests, one for
 * each tool under the tool's name, and `default` for unknown names; `ownDefault` is the owner's activity for these.
 */
export function createActivities(dependencies: Dependencies, ownDefault?: AnyActivity) {
  const { transcriptCacheBytes } = dependencies;
  const observations = createObservations(Math.ceil(transcriptCacheBytes / 4));
  const transcripts = createTranscripts(transcriptCacheBytes, observations);
  const activitiesOf = (some: readonly Tool[]) =>
    Object.fromEntries(
      some.map((tool) => [tool.name, createToolActivity(tool, dependencies, transcripts, observations)]),
    );
  const local = [...dependencies.tools.values()].filter(({ remote }) => remote === undefined);
  const tools = activitiesOf(local);
  return {
    ...tools,
    ...createBacktestActivities(observations),
    resolveAgent: createResolveAgent(dependencies),
    callModel: createCallModel(
      dependencies,
      transcripts,
      observations,
      createStoredMedia(Math.ceil(transcriptCacheBytes / 4)),
    ),
    summarizeConversation: createSummarizeConversation(dependencies),
    [EARLIER_EFFECTS]: earlierEffects,
    [REWIND_POINT]: rewindPoint,
    [AUTHORIZE]: createAuthorize(dependencies),
    [DELIVER_WEBHOOK]: deliverWebhook(dependencies),
    default: createMissingTool(Object.keys(tools), activitiesOf(dependencies.earlierTools), ownDefault),
  };
}

/** Loads the code with the first delivery: it needs a package that most projects do not have. */
function deliverWebhook(dependencies: Dependencies) {
  return async (delivery: WebhookDelivery) => {
    const { createDeliverWebhook } = await import('./run/deliver-webhook.ts');
    return createDeliverWebhook(dependencies)(delivery);
  };
}
