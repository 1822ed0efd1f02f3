import type { RunOverrides } from '../agent/calls.ts';
import type { AgentKind } from '../agent/kind.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import type { Model } from '../models/model.ts';
import type { Tool } from '../tools/tool.ts';

/** What a worker's config gives to the activities: everything concrete is injected. */
export interface Dependencies {
  kinds: ReadonlyMap<string, AgentKind>;
  models: ReadonlyMap<string, Model>;
  tools: ReadonlyMap<string, Tool>;
  agents: readonly string[];
  /** The agent as it is configured now; undefined if there is none of that name. */
  manifest(agent: string, overrides: RunOverrides): AgentManifest | undefined;
  /** Whether Reloop's search attributes are registered. */
  searchAttributes: boolean;
  /** Bytes of transcripts kept in memory. */
  transcriptCacheBytes: number;
}
