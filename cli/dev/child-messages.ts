import type { ContextOptions } from '../connection/context.ts';

/** Start options of a worker process of `reloop dev`, as JSON. */
export type ChildOptions = Pick<
  ContextOptions,
  'namespace' | 'config' | 'taskQueue' | 'debug' | 'concurrency'
>;

/** Messages to the process. Until it gets `work`, it has only loaded its config. */
export type ToChild =
  | { type: 'work' }
  /** Another one has taken its place: calls under way continue, as long as they take. */
  | { type: 'drain' }
  /** Calls under way get a few seconds to end. */
  | { type: 'end' };

/** Messages from the process. */
export type FromChild =
  | { type: 'said'; text: string }
  /** Files that its config imports, which are the user's. */
  | { type: 'imported'; files: string[] }
  /** A step that takes time started, or ended. */
  | { type: 'busy'; with: string; over: boolean }
  | { type: 'loaded'; summary: ConfigSummary }
  /** The worker polls these task queues. */
  | { type: 'ready'; serves: readonly string[]; waiting: number }
  /** The worker drains; so many calls continue. */
  | { type: 'draining'; calls: number }
  /** The worker ends. */
  | { type: 'failed'; code: number; lines: string[] };

/** The comparable part of a config: each agent and each tool with a text of its definition. */
export interface ConfigSummary {
  agents: { [name: string]: string };
  tools: { [name: string]: string };
}
