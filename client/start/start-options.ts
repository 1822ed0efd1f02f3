import type { StartOverrides } from '../../agent/start/overrides.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';

/** Options for the start of a run. */
export interface StartOptions extends StartOverrides {
  /** The Temporal workflow id. An id that is running or finished gives that run. Default: the agent's name and a number. */
  id?: string | undefined;
  /** Earlier messages, for kinds that take them. */
  chatHistory?: ChatMessage[] | undefined;
  /** Name of the conversation that the run continues, in the place of `chatHistory`; started by its first message. */
  session?: string | undefined;
  /**
   * Do not wait until the run of a session starts, which takes a worker and, while an earlier message is answered,
   * time. The run can be followed once it starts.
   */
  detach?: boolean | undefined;
  /** Values for the agent's own `{names}` in its prompt texts. */
  variables?: { [name: string]: string } | undefined;
  /** Default: the client's. */
  taskQueue?: string | undefined;
}
