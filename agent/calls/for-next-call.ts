import type { PromptSize } from '../transcript/compaction.ts';
import type { PromptCount } from '../transcript/prompt-count.ts';

/** Data that each model call returns for the next one. */
export interface ForNextCall {
  /** Last decision of an agent with a `repeatLimit`. */
  repeat?: Repeat | undefined;
  /** Size of the next prompt of an agent with `compaction`; a result leaves out the observations of its turn. */
  size?: PromptSize | undefined;
  /** The server's count of a long prompt. */
  count?: PromptCount | undefined;
}

/** The digest of the latest action, and how many times in a row it was decided on. */
export interface Repeat {
  action: string;
  times: number;
}
