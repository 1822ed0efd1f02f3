import { MockActivityEnvironment } from '@temporalio/testing';
import type { Dependencies } from '../../activities/dependencies.ts';
import { createObservations } from '../../activities/run/observations.ts';
import { createStoredMedia } from '../../activities/model/stored-media.ts';
import { createCallModel } from '../../activities/turn/call-model.ts';
import type { CallModelInput, ModelTurn } from '../../agent/calls/calls.ts';
import { builtInKinds } from '../../agent/kinds/kinds.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import { advance, START, type Entry } from '../../agent/transcript/entries.ts';
import { transcriptAt } from '../../agent/transcript/state.ts';
import type { Model } from '../../adapters/models/model.ts';
import { sampleManifest } from './manifest.ts';

/** The `callModel` activity as a worker has it, at the first step of a run; without a server. */
export function callModelOnce(
  model: Model,
  { manifest = {}, input = {} }: { manifest?: Partial<AgentManifest>; input?: Partial<CallModelInput> } = {},
): Promise<ModelTurn> {
  const agent = sampleManifest({ ...manifest, adapter: 'mine' });
  const entries: Entry[] = [
    { type: 'agent', manifest: agent },
    { type: 'question', input: 'what?', chatHistory: [] },
  ];
  const dependencies: Dependencies = {
    kinds: new Map(builtInKinds.map((kind) => [kind.name, kind])),
    models: new Map([['mine', model]]),
    webhooks: new Map(),
    tools: new Map(),
    earlierTools: [],
    agents: [agent.name],
    manifest: () => agent,
    checkContext: (_agent, context) => context,
    parser: () => undefined,
    checkOutput: (_manifest, output) => output,
    authorize: undefined,
    hooks: undefined,
    signToken: undefined,
    replies: undefined,
    limiter: undefined,
    budgets: undefined,
    searchAttributes: false,
    beginTrace: undefined,
    events: false,
    rollingDeploys: true,
    identity: undefined,
    address: undefined,
    transcriptCacheBytes: 1_000,
  };
  const callModel = createCallModel(
    dependencies,
    {
      open: async () => transcriptAt(advance(START, entries), entries),
      manifest: async () => agent,
    },
    createObservations(1_000),
    createStoredMedia(1_000),
  );
  const delta = { scope: 0, base: 0, prev: START.digest, delta: entries };
  return new MockActivityEnvironment({ activityId: '1' }).run(callModel, { ...delta, ...input });
}
