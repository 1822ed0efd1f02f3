import { parseActivityId } from '../agent/calls.ts';
import type { Content } from '../agent/content.ts';
import type { WaitingCall, RunEvent, RunStep } from '../agent/events.ts';
import type { RunMessage } from '../agent/rules/run-messages.ts';
import { endsByExtension } from '../agent/rules/waiting.ts';
import { type RestartedEvent, isDropped } from '../agent/restart.ts';
import { effectOf } from '../agent/rules/decisions.ts';
import {
  type ErrorInfo,
  type Json,
  type RunStatus,
  type StopReason,
  type Usage,
  addUsage,
  noUsage,
} from '../agent/vocabulary.ts';

/** A run as `reloop show --json` prints it; the field names are a contract. */
export interface RunReport {
  id: string;
  runId: string;
  agent: string;
  /** A text, or the parts of a question with images: what each is and where, not its bytes. */
  input: Content;
  status: RunStatus;
  stopReason: StopReason | null;
  output: Json;
  iterations: number;
  intermediateSteps: RunStep[];
  usage: RunUsage;
  waiting: WaitingCall[];
  error: ErrorInfo | null;
  /** Summed over all runs of a chain of continue-as-new. */
  history: { events: number; bytes: number };
}

export interface RunUsage extends Usage {
  /**
   * That Temporal Cloud bills, so far: the run's own, over continue-as-new, without those of its sub-agents. Reports of
   * `describe()` have it. What is counted: docs/temporal-cloud.md.
   */
  actions?: number | undefined;
}

export function emptyReport(id: string, runId: string): RunReport {
  return {
    id,
    runId,
    agent: '',
    input: '',
    status: 'running',
    stopReason: null,
    output: null,
    iterations: 0,
    intermediateSteps: [],
    usage: noUsage,
    waiting: [],
    error: null,
    history: { events: 0, bytes: 0 },
  };
}

/** Brings a report up to date with one event. */
export function addToReport(report: RunReport, event: RunEvent): void {
  switch (event.type) {
    case 'run_started':
      report.agent = event.agent;
      report.input = event.input;
      report.runId = event.runId;
      return;
    case 'continued':
      report.runId = event.runId;
      return;
    case 'model_ended':
      if (event.closing !== true) report.iterations++;
      report.usage = addUsage(report.usage, event.turn.usage);
      return;
    case 'step':
      insertStep(report.intermediateSteps, event.step);
      return;
    case 'waiting':
      report.waiting.push(event.park);
      setStanding(report, report.status === 'paused');
      return;
    case 'decided':
      if (effectOf(event.decision).type !== 'none') endWait(report, event.call);
      return;
    case 'resumed':
    case 'unanswered':
      endWait(report, event.call);
      return;
    case 'steered':
      steerReport(report, event.message);
      return;
    case 'restarted':
      beginAgain(report, event);
      return;
    case 'run_ended':
      endReport(report, event);
      return;
    case 'model_started':
    case 'model_text':
    case 'model_reasoning':
    case 'model_failed':
    case 'action':
    case 'tool_started':
    case 'tool_progress':
    case 'tool_failed':
    case 'attempt_failed':
    case 'finish':
    case 'unheard':
      return;
  }
}

function endWait(report: RunReport, ended: string): void {
  report.waiting = report.waiting.filter(({ call }) => call !== ended);
  setStanding(report, report.status === 'paused');
}

function steerReport(report: RunReport, { type }: RunMessage): void {
  if (type === 'extend') report.waiting = report.waiting.filter((call) => !endsByExtension(call));
  if (type === 'extend') setStanding(report, report.status === 'paused');
  if (type === 'pause' || type === 'resume') setStanding(report, type === 'pause');
}

/** A run that is paused goes on only when it is resumed, whatever else it waits for. */
function setStanding(report: RunReport, isPaused: boolean): void {
  report.status = isPaused ? 'paused' : report.waiting.length > 0 ? 'waiting' : 'running';
}

/** What is dropped of the run before is no part of this one. */
function beginAgain(report: RunReport, event: RestartedEvent): void {
  const { runId, iterations, usage, edits = [] } = event;
  const edited = ({ call, observation }: RunStep) =>
    (edits.find((edit) => edit.call === call) ?? { observation }).observation;
  Object.assign(report, { runId, iterations, usage, waiting: [], status: 'running' });
  Object.assign(report, { stopReason: null, output: null, error: null });
  report.intermediateSteps = report.intermediateSteps
    .filter(({ call }) => !isDropped(call, event))
    .map((step) => ({ ...step, observation: edited(step) }));
}

function endReport(report: RunReport, event: Extract<RunEvent, { type: 'run_ended' }>): void {
  const { status, stopReason, output, error, iterations, usage } = event;
  Object.assign(report, { status, stopReason, output, error, waiting: [] });
  report.iterations = iterations ?? report.iterations;
  report.usage = usage ?? report.usage;
}

/** Calls of one turn end in any order; looked for from the end, so that a long run is not sorted at every step. */
function insertStep(steps: RunStep[], step: RunStep): void {
  const before = steps.findLastIndex(({ call }) => byCall(call, step.call) <= 0);
  steps.splice(before + 1, 0, step);
}

/** `2.1` before `10.1`, `3.2` before `3.10`; the calls of a workflow's second agent, `1/1.1`, after all of the first's. */
function byCall(a: string, b: string): number {
  const [left, right] = [placeOf(a), placeOf(b)];
  const difference = left.findIndex((part, index) => part !== right[index]);
  return difference < 0 ? 0 : (left[difference] ?? 0) - (right[difference] ?? 0);
}

function placeOf(id: string): number[] {
  const { scope = 0, call = '' } = parseActivityId(id) ?? {};
  return [scope, ...call.split('.').map(Number)];
}
