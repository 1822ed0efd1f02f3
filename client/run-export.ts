import type { Content } from '../agent/content.ts';
import type { ModelTurn } from '../agent/calls.ts';
import type { OperatorDecision, RunEvent } from '../agent/events.ts';
import { InvalidInput } from '../agent/invalid-input.ts';
import { fieldsOf } from '../agent/json-object.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import type { ModelRequest } from '../agent/transcript/request.ts';
import type { ChatMessage } from '../agent/vocabulary.ts';
import type { RunReport } from './report.ts';
import { reloop } from './typed-command.ts';

/**
 * A whole run as one JSON value: what `reloop export` writes, and what `recordedRun` of `reloop/testing` reads. Within a
 * version fields are only added; what changes or takes away one has another version. Times are milliseconds since 1970.
 */
export interface RunExport {
  /** Says what the file is. */
  reloop: 'run';
  version: 1;
  /** As `reloop show --json` prints it: question, answer, steps with their observations, usage, what waits. */
  run: RunReport;
  /** A run that `agentRun` runs has one agent; a workflow of your own has one for each `runAgent`. */
  agents: ExportedAgent[];
  /** Every reply, in order. */
  modelCalls: ExportedModelCall[];
  /** What people decided, in order. */
  decisions: ExportedDecision[];
  /** All that is recorded, in order: the other lists are taken from it. */
  events: RunEvent[];
  /** Sub-agents, in the order in which they were started: each a whole run of its own. */
  subAgents: ExportedSubAgent[];
  /** With `prompts` only: every exact request, in order. */
  requests?: ExportedRequest[] | undefined;
}

/** An agent as it was pinned when it began, and what it was asked. */
export interface ExportedAgent {
  /** 0 for the first of a workflow, 1 for the second, whose calls are `1/3`, `1/3.1`. */
  scope: number;
  /** null for an agent that never began: the definition could not be resolved, or was not yet. */
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
  /** When the reply was there. */
  at: number;
  /** `3` for the third iteration, in a later agent of one workflow `1/3`. */
  call: string;
  /** Of the schedule that ended with the reply. */
  attempts: number;
  durationMs: number;
  /** No iteration, but the call that asks for the answer when a limit was reached. */
  closing?: true | undefined;
  /** The reply as it was recorded, up to the first stop string, and what was decided on it. */
  turn: ModelTurn;
}

export interface ExportedDecision {
  at: number;
  /** `3.1` for a tool call, `3` for a model call. */
  call: string;
  decision: OperatorDecision;
}

export interface ExportedSubAgent {
  /** The parent's call that the sub-agent is. */
  call: string;
  /** Counts the times the call was scheduled, from 0: each time is a run of its own. */
  n: number;
  id: string;
  /** null where there is no record of the run: past the namespace's retention, or it was never started. */
  export: RunExport | null;
}

/** What the model was asked, rebuilt from history. */
export interface ExportedRequest {
  call: string;
  /** Counts the times the call was scheduled, from 0. */
  n: number;
  request: ModelRequest;
  /** false: this version of Reloop renders the request otherwise than it was sent. */
  exact: boolean;
}

/** Reads a file that `reloop export` wrote; `name` is what messages call it. Throws InvalidInput for anything else. */
export function parseRunExport(text: string, name = 'the file'): RunExport {
  const value = parsed(text, name);
  const { reloop: what, version } = fieldsOf(value);
  if (what !== 'run') {
    throw new InvalidInput(`${name} is no exported run. \`${reloop()} export RUN --out FILE\` writes one.`);
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
      `${name} is not JSON: was it cut? \`${reloop()} export RUN --out FILE\` writes it.`,
      {
        cause: error,
      },
    );
  }
}
