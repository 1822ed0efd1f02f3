import type { Content } from '../../agent/values/content.ts';
import type { ModelTurn } from '../../agent/calls/calls.ts';
import type { OperatorDecision, RunEvent } from '../../agent/run/events.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { fieldsOf } from '../../agent/values/json-object.ts';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { ModelRequest } from '../../agent/transcript/request.ts';
import type { ChatMessage } from '../../agent/values/vocabulary.ts';
import type { RunReport } from '../report.ts';
import { cliName } from '../connect/cli-name.ts';

/**
 * A whole run as one JSON value: `reloop export` writes it, and `recordedRun` of `reloop/testing` reads it. Within a
 * version fields are only added; changing or removing one needs a new version. Times are milliseconds since 1970.
 */
export interface RunExport {
  /** Type of the file. */
  reloop: 'run';
  version: 1;
  /** The run as `reloop show --json` prints it: question, answer, steps with their observations, usage, waiting calls. */
  run: RunReport;
  /** A run that `agentRun` runs has one agent; your own workflow has one for each `runAgent`. */
  agents: ExportedAgent[];
  /** Every reply, in order. */
  modelCalls: ExportedModelCall[];
  /** Decisions of people, in order. */
  decisions: ExportedDecision[];
  /** Starts of the run, and people's decisions and messages, each with its sender, in order. Missing in files of older versions. */
  audit?: AuditEntry[] | undefined;
  /** All that is recorded, in order: the other lists are taken from it. */
  events: RunEvent[];
  /** Sub-agents, in the order in which they were started: each a whole run. */
  subAgents: ExportedSubAgent[];
  /** Every exact request, in order; set with `prompts`. */
  requests?: ExportedRequest[] | undefined;
}

/** An agent as pinned when it started, and its question. */
export interface ExportedAgent {
  /** 0 for the first of a workflow, 1 for the second, whose calls are `1/3`, `1/3.1`. */
  scope: number;
  /** null for an agent that never started: the definition could not be resolved, or was not yet. */
  manifest: AgentManifest | null;
  /** null where the record of it is past the namespace's retention, or nothing was asked yet. */
  question: ExportedQuestion | null;
}

export interface ExportedQuestion {
  input: Content;
  chatHistory: ChatMessage[];
  /** Values for the user's own `{names}` in prompt texts. */
  variables: { [name: string]: string };
}

export interface ExportedModelCall {
  /** Time of the reply. */
  at: number;
  /** `3` for the third iteration, in a later agent of one workflow `1/3`. */
  call: string;
  /** Attempts of the schedule that ended with the reply. */
  attempts: number;
  durationMs: number;
  /** The call that asks for the answer at a limit. Not an iteration. */
  closing?: true | undefined;
  /** The reply as recorded, up to the first stop string, and the decision in it. */
  turn: ModelTurn;
}

export interface ExportedDecision {
  at: number;
  /** `3.1` for a tool call, `3` for a model call. */
  call: string;
  decision: OperatorDecision;
}

/** One start of the run, or one decision or message of a person to the run. */
export interface AuditEntry {
  at: number;
  /** Name of the decision or the message: `approve`, `say`; `cancel` for the run; `start`, `fork`, `retry` or `rewind` where the run started. */
  word: string;
  /** The name that the sender gave. The config's `authorize` has checked it, if the run has one; starts are not checked. */
  by: string | null;
  /** The sender's client, as Temporal recorded it; null for a run that a session started. Everybody with access to the server can choose this text. */
  identity: string | null;
  /** The call of a decision. */
  call?: string | undefined;
  /** Reason of a refusal by `authorize`; the decision or message changed nothing. */
  refused?: string | undefined;
}

export interface ExportedSubAgent {
  /** The parent's call that runs the sub-agent. */
  call: string;
  /** Counts the times the call was scheduled, from 0: each time is a separate run. */
  n: number;
  id: string;
  /** null where there is no record of the run: past the namespace's retention, or it was never started. */
  export: RunExport | null;
}

/** A request to the model, rebuilt from history. */
export interface ExportedRequest {
  call: string;
  /** Counts the times the call was scheduled, from 0. */
  n: number;
  request: ModelRequest;
  /** false: this version of Reloop renders the request otherwise than it was sent. */
  exact: boolean;
}

/** Reads a file that `reloop export` wrote; `name` is its name in messages. Throws InvalidInput for any other file. */
export function parseRunExport(text: string, name = 'the file'): RunExport {
  const value = parsed(text, name);
  const { reloop: what, version } = fieldsOf(value);
  if (what !== 'run') {
    throw new InvalidInput(
      `${name} is not an exported run. \`${cliName()} export RUN --out FILE\` writes one.`,
    );
  }
  if (version !== 1) {
    throw new InvalidInput(
      `${name} was exported by another version of Reloop, and this one reads version 1. Export the run again, or update Reloop.`,
    );
  }
  return value as RunExport; // written by an export, as its first fields say
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidInput(
      `${name} is not JSON: was it cut? \`${cliName()} export RUN --out FILE\` writes it.`,
      {
        cause: error,
      },
    );
  }
}
