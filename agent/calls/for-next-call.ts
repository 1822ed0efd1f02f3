import type { PromptSize } from '../transcript/compaction.ts';
import type { PromptCount } from '../transcript/prompt-count.ts';

/** Data that each model call returns for the next one. */
export interface ForNextCall {
  /** For an agent with a `repeatLimit`: its last decision. */
  repeat?: Repeat | undefined;
  /** For an agent with `compaction`: the size of the next prompt; a result leaves out the observations of its turn. */
  size?: PromptSize | undefined;
  /** For a long prompt: what the server counted. */
  count?: PromptCount | undefined;
}

/** The digest of the latest action, and how many times in a row it was decided on. */
export interface Repeat {
  action: string;
  times: number;
}
