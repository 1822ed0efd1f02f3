import type { CommonOptions } from '../options.ts';

/** What a worker's process of `reloop dev` is started with, as JSON. */
export type ChildOptions = Pick<CommonOptions, 'namespace' | 'config' | 'taskQueue' | 'debug'>;

/** What it is told. Without being told to work it has only loaded its config. */
export type ToChild =
  | { type: 'work' }
  /** Another one has taken its place: calls under way go on, as long as they take. */
  | { type: 'drain' }
  /** Calls under way get some seconds. */
  | { type: 'end' };

/** What it tells. */
export type FromChild =
  | { type: 'said'; text: string }
  /** Files that its config imports, which are the user's. */
  | { type: 'imported'; files: string[] }
  /** Something that takes time began, or ended. */
  | { type: 'busy'; with: string; over: boolean }
  | { type: 'loaded'; summary: ConfigSummary }
  /** It polls these task queues. */
  | { type: 'ready'; serves: readonly string[]; waiting: number }
  /** It has been told to drain; so many calls go on. */
  | { type: 'draining'; calls: number }
  /** It ends. */
  | { type: 'failed'; code: number; lines: string[] };

/** A config as far as two of them can be compared: each agent and each tool with a text that says what it is. */
export interface ConfigSummary {
  agents: { [name: string]: string };
  tools: { [name: string]: string };
}
