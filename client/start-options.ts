import type { Budget } from '../agent/budget.ts';
import type { ChatMessage } from '../agent/vocabulary.ts';

/** How a run is started. */
export interface StartOptions {
  /** The Temporal workflow id. An id that is running or finished gives that run. Default: the agent's name and a number. */
  id?: string | undefined;
  /** Earlier messages, for kinds that take them. */
  chatHistory?: ChatMessage[] | undefined;
  /** Name of the conversation that the run goes on with, in the place of `chatHistory`; started by its first message. */
  session?: string | undefined;
  /**
   * Of a session: do not wait for the run to begin, which takes a worker and, while an earlier message is answered, its
   * time. The run can be followed once it is its turn.
   */
  detach?: boolean | undefined;
  /** Values for the agent's own `{names}` in its prompt texts. */
  variables?: { [name: string]: string } | undefined;
  model?: string | undefined;
  maxIterations?: number | null | undefined;
  /** Milliseconds. */
  maxExecutionTime?: number | null | undefined;
  /** Tokens and US dollars; a limit that is not given stays the agent's. Money takes `prices` in the config. */
  budget?: Budget | undefined;
  /** Default: the client's. */
  taskQueue?: string | undefined;
}
