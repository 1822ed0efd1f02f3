import type { PausedBy, PausedCall, RunStep } from '../agent/run/events.ts';
import type { RunResult } from '../agent/run/run-result.ts';
import type { RunView } from '../agent/views/view.ts';
import type { WaitingCall } from '../agent/rules/waiting.ts';
import type { Content } from '../agent/values/content.ts';
import type {
  ErrorInfo,
  Json,
  RunStatus,
  StopReason,
  Truncation,
  Usage,
} from '../agent/values/vocabulary.ts';

/** A run's result, and the steps that led to it. */
export interface RunResultWithSteps extends RunResult {
  intermediateSteps: RunStep[];
}

/** A run as `reloop show --json` prints it; the field names are a contract. */
export interface RunReport {
  id: string;
  runId: string;
  agent: string;
  /** Name of the person that the run belongs to. Reports of `describe()` have it, if the client that started the run had one. */
  owner?: string | undefined;
  /** The agent that was asked last. Only in a run that may have several (`handoffs`). */
  lastAgent?: string | undefined;
  /** A text, or the parts of a question with images or files: the type and place of each, not its bytes. */
  input: Content;
  status: RunStatus;
  stopReason: StopReason | null;
  /** Set if the answer is not whole: it was cut at the model's token limit, or by the provider's content filter. */
  truncated?: Truncation | undefined;
  output: Json;
  iterations: number;
  intermediateSteps: RunStep[];
  usage: RunUsage;
  /** Calls that wait for a person; with `until`, for their lost attempt: such a call does not make the status `waiting`. */
  waiting: WaitingCall[];
  /** Calls that no worker can start, since none polls their task queue. Reports of `describe()` have it, where there are such calls. */
  notBegun?: CallNotBegun[] | undefined;
  /** Calls, also of sub-agents, that an operator has paused with Temporal's own command. Reports of `describe()` have it, where there are such calls. */
  pausedCalls?: PausedCall[] | undefined;
  /** An operator has paused the whole run with `temporal workflow pause`. */
  pausedInTemporal?: PausedBy | undefined;
  error: ErrorInfo | null;
  /** Summed over all runs of a chain of continue-as-new. */
  history: { events: number; bytes: number };
}

/** A call that no worker can start: none polls its task queue. `tool` of a model call: `callModel`. */
export interface CallNotBegun {
  call: string;
  tool: string;
  taskQueue: string;
}

export interface RunUsage extends Usage {
  /**
   * Actions that Temporal Cloud bills, so far: the run's own, over continue-as-new, without those of its sub-agents.
   * Reports of `describe()` have the number. The rules of counting: docs/temporal-cloud.md.
   */
  actions?: number | undefined;
}

/** The report of a run as its events show it. `describe()` adds the size of the history and the billed actions. */
export function reportOf({ steps, ...view }: RunView): RunReport {
  return {
    id: view.id,
    runId: view.runId,
    agent: view.agent,
    ...(view.lastAgent !== undefined && { lastAgent: view.lastAgent }),
    input: view.input,
    status: view.status,
    stopReason: view.stopReason,
    ...(view.truncated !== undefined && { truncated: view.truncated }),
    output: view.output,
    iterations: view.iterations,
    intermediateSteps: steps,
    usage: view.usage,
    waiting: view.waiting,
    ...(view.pausedInTemporal !== undefined && { pausedInTemporal: view.pausedInTemporal }),
    error: view.error,
    history: { events: 0, bytes: 0 },
  };
}
