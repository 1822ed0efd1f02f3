import type { RunEvent } from '../agent/events.ts';
import type { AgentClient } from '../client/agent-client.ts';
import type { ResultOptions } from '../client/agent-run.ts';
import type { StartOptions } from '../client/start-options.ts';

export interface EmbeddedOptions {
  /**
   * Folder of the Temporal server's data. Default: that of this project's commands, RELOOP_STATE_DIR or `.reloop` beside the
   * nearest package.json. Where it is given, no server that TEMPORAL_ADDRESS names is used.
   */
  stateDir?: string | undefined;
  /**
   * Where the program's runs are started, and its worker works. Default: the config's, TEMPORAL_TASK_QUEUE, or one that is
   * called after the program's file; for the project's own config that of `reloop dev`.
   */
  taskQueue?: string | undefined;
  /** Told the worker's log, a line each. Default: only who waits for a person is said, on stderr. */
  onLog?: ((line: string) => void) | undefined;
}

/** A Temporal server and a worker that are there as long as a program needs them. */
export interface Embedded {
  /** Its runs are this program's worker's. */
  client: AgentClient;
  /** Of the Temporal server. */
  address: string;
  /** Of its Web UI; undefined where somebody named the server. */
  uiUrl: string | undefined;
  taskQueue: string;
  /** Ends the worker: what it does gets some seconds, open runs go on at the next start. Then the program can end. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RunHereOptions extends StartOptions, ResultOptions, EmbeddedOptions {
  /**
   * Told each event of the run, from its beginning, as it happens: what is thrown here ends `runAgentHere` with it, and
   * the run stands still until it is asked for again.
   */
  onEvent?: ((event: RunEvent) => unknown) | undefined;
}
