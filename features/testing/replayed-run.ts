import { type TurnDecision, scopeOf } from '../../agent/calls/calls.ts';
import { isDropped } from '../../agent/calls/restart.ts';
import type { Repeat } from '../../agent/calls/for-next-call.ts';
import { freshCounters, reachedLimit } from '../../agent/limits/counters.ts';
import type { RunEvent, RunStep } from '../../agent/run/events.ts';
import { Run } from '../../agent/run/run.ts';
import { takingOver } from '../../agent/definition/handed-over.ts';
import { handoffOf } from '../../agent/reply/handoff-actions.ts';
import { conversationBefore } from '../../agent/transcript/compaction.ts';
import { renderSummaryRequest } from '../../agent/transcript/summary-request.ts';
import { conversation } from '../../agent/transcript/prompt-context.ts';
import { type Entry, type LateEntry, withObservations } from '../../agent/transcript/entries.ts';
import type { Json } from '../../agent/values/vocabulary.ts';
import type { ExportedModelCall, RunExport } from '../../client/export/run-export.ts';
import {
  type Replay,
  directAnswer,
  lateEntries,
  readRecorded,
  requestDifferences,
  takeTurn,
} from './replayed-turn.ts';
import { type RunDifference, decisionText } from './run-difference.ts';

/**
 * Goes through an exported run, reply by reply: today's prompts, parsers and limits, the tools' results of then. Replies after a different
 * decision are not compared.
 */
export function replayRun(exported: Replay): Pick<Walk, 'steps' | 'differences'> {
  const replay = { ...exported, record: asToldFirst(withoutDropped(exported.record)) };
  const { manifest, question, record, scope } = replay;
  const calls = record.modelCalls.filter(({ call }) => scopeOf(call) === scope);
  const walk: Walk = {
    replay,
    run: new Run(record.run.id),
    heard: 0,
    sent: 0,
    entries: [
      { type: 'agent', manifest },
      { type: 'question', ...question },
    ],
    steps: 0,
    repeat: undefined,
    end: undefined,
    differences: [],
  };
  const wholly = calls.every((call, index) => takeCall(walk, call, calls[index + 1]));
  if (wholly) {
    hear(walk, undefined);
    const end = walk.end ?? limitText(walk);
    walk.differences.push(...endDifferences(replay, calls.at(-1), end));
  }
  const { steps, differences } = walk;
  return { steps, differences };
}

/** The agent on its way through the record. */
interface Walk {
  /** The agent that has the conversation. */
  replay: Replay;
  /** The run with the decisions of today. */
  readonly run: Run;
  /** Number of the record's events whose messages the run has received. */
  heard: number;
  /** Number of entries that model calls have carried. */
  sent: number;
  entries: Entry[];
  readonly differences: RunDifference[];
  steps: number;
  repeat: Repeat | undefined;
  /** Answer that ends the run today. */
  end: string | undefined;
}

/** Replays one reply; false if the following ones cannot be compared. */
function takeCall(walk: Walk, recorded: ExportedModelCall, next: ExportedModelCall | undefined): boolean {
  const { replay, run, differences } = walk;
  const { call: step, turn, closing = false } = recorded;
  if (turn.decision.type === 'compact') return takeSummary(walk, recorded, turn.decision.keep);
  hear(walk, step);
  const { entries } = walk;
  entries.push(...run.kept.unheard.map((text): Entry => ({ type: 'message', text })));
  walk.end ??= limitText(walk);
  const unasked = closing ? closingDifference(replay, walk.end) : walk.end;
  if (unasked !== undefined) {
    const before = closing ? CLOSING : decisionText(turn.decision);
    differences.push({ step, what: 'decision', before, after: unasked });
    return false;
  }

  schedule(walk, step);
  const context = conversation(entries, closing);
  differences.push(...requestDifferences(replay, recorded, context));
  const { decision, repeat } = readRecorded(replay, context, turn, walk.repeat);
  walk.repeat = repeat ?? walk.repeat;
  walk.steps++;
  run.next({ type: 'model_replied', call: step, turn: { ...turn, decision }, ms: 0, closing }, 0);
  const other = decisionDifference(step, turn.decision, decision);
  if (other !== undefined) differences.push(other);
  return other === undefined && takeDecision(walk, recorded, decision, next);
}

/**
 * Gives the run the messages of people up to a model call, or up to the end, and the transcript the observations that a fork has changed. A call
 * that is made again carries the messages since, too.
 */
function hear(walk: Walk, call: string | undefined): void {
  const { record, scope } = walk.replay;
  const isLast = (event: RunEvent) => event.type === 'model_started' && event.call === call;
  const until = call === undefined ? record.events.length : record.events.findLastIndex(isLast);
  for (; walk.heard < until; walk.heard++) {
    const event = record.events[walk.heard];
    if (event?.type === 'step' && event.within === undefined)
      addLate(walk.entries, lateEntries(walk.replay, walk.entries, event.step), walk.sent);
    if (event?.type === 'steered') walk.run.next({ type: 'message', message: event.message }, 0);
    if (event?.type !== 'restarted' || scope !== 0 || event.edits === undefined) continue;
    const edits = new Map(event.edits.map(({ call: edited, observation }) => [edited, observation]));
    walk.entries = withObservations(walk.entries, edits);
  }
}

/** Adds the results of background calls to the entries since `sent`, in the order of the calls. */
function addLate(entries: Entry[], late: readonly LateEntry[], sent: number): void {
  const place = ({ call }: LateEntry) =>
    entries.findIndex((entry) => entry.type === 'step' && entry.call === call && entry.ticket === true);
  for (const one of late) {
    const after = entries.findIndex(
      (entry, index) => index >= sent && entry.type === 'late' && place(entry) > place(one),
    );
    entries.splice(after === -1 ? entries.length : after, 0, one);
  }
}

/** Schedules a model call, which carries the entries since the last one. */
function schedule(walk: Walk, call: string): void {
  const { scope } = walk.replay;
  const input = { scope, base: walk.sent, prev: '', delta: walk.entries.slice(walk.sent) };
  walk.run.next({ type: 'model_scheduled', call, scope, n: 0, input }, 0);
  walk.sent = walk.entries.length;
}

/** Another agent makes the next turns, with the limits of the run. False if today's config does not have it. */
function handOver(walk: Walk, target: string): boolean {
  const { loaded, manifest: before } = walk.replay;
  const found = loaded.manifest(target, {});
  const kind = found && loaded.kinds.get(found.kind);
  if (found === undefined || kind === undefined) return false;
  const manifest = takingOver(found, before);
  walk.replay = { ...walk.replay, manifest, kind };
  walk.entries.push({ type: 'agent', manifest });
  return true;
}

/** A summary is kept as it was recorded, at its place: today's agent might make it earlier or later. */
function takeSummary(
  { replay, entries, differences }: Walk,
  recorded: ExportedModelCall,
  keep: number,
): true {
  const context = conversationBefore(entries, keep);
  differences.push(...requestDifferences(replay, recorded, context, renderSummaryRequest));
  entries.push({ type: 'summary', text: recorded.turn.text, keep });
  return true;
}

/** The consequence of a decision that is the same; false where the run had ended in the middle of its turn. */
function takeDecision(
  walk: Walk,
  recorded: ExportedModelCall,
  decision: TurnDecision,
  next: ExportedModelCall | undefined,
): boolean {
  const { replay, run, entries } = walk;
  if (decision.type === 'finish') {
    // A person's message came upon the answer, which the model is shown with it.
    entries.push({ type: 'message', role: 'assistant', text: decision.log ?? recorded.turn.text });
  }
  if (decision.type === 'stop') {
    if (next === undefined || next.closing === true) walk.end = STOPPED;
    walk.repeat = undefined; // a person has let it continue
  }
  if (decision.type !== 'act') return true;
  const taken = takeTurn(replay, run.calls, recorded, decision.actions);
  if (taken === undefined) return false;
  entries.push(...taken);
  const target = handoffOf(decision.actions, replay.manifest.tools);
  if (target !== undefined) return handOver(walk, target);
  // If messages came meanwhile, the model is asked before the run ends.
  hear(walk, next?.call);
  if (next === undefined || run.kept.unheard.length === 0)
    walk.end = directAnswer(replay, taken, next === undefined);
  return true;
}

const GOES_ON = 'asks the model';
const CLOSING = 'asks for the answer at the limit';
const STOPPED = 'stops: max_iterations';

/** Time does not pass here. */
function limitText({ replay: { manifest }, run }: Walk): string | undefined {
  const { spent, granted } = run.kept;
  const counters = { ...freshCounters(0), iterations: spent.iterations, ...granted };
  const limit = reachedLimit({ ...manifest, maxExecutionTimeMs: null }, counters, 0);
  return limit && `stops: ${limit}`;
}

/** Action of today's loop at a limit, in place of asking for the answer; undefined: the loop asks. */
function closingDifference({ manifest, record }: Replay, end: string | undefined): string | undefined {
  const limited = end?.startsWith('stops: ') === true || !LIMITS_HERE.includes(record.run.stopReason ?? '');
  if (!limited) return end ?? GOES_ON;
  return manifest.earlyStopping === 'generate' ? undefined : (end ?? STOPPED);
}

/** Limits that can be reached here: time and money are not spent again. */
const LIMITS_HERE: readonly string[] = ['max_iterations'];

function decisionDifference(
  step: string,
  recorded: TurnDecision,
  today: TurnDecision,
): RunDifference | undefined {
  const [before, after] = [decisionText(recorded), decisionText(today)];
  if (before === after) return undefined;
  const what = recorded.type === 'finish' && today.type === 'finish' ? 'answer' : 'decision';
  return { step, what, before, after };
}

/** Differences at the end of the run, if its last reply did not end it. */
function endDifferences(
  { record: { run }, manifest, scope }: Replay,
  last: ExportedModelCall | undefined,
  end: string | undefined,
): RunDifference[] {
  if (scope !== 0 || last?.closing === true || last?.turn.decision.type === 'finish') return [];
  const before = endText(run);
  if (before === undefined) return [];
  const closes = end?.startsWith('stops: ') === true && manifest.earlyStopping === 'generate';
  const after = closes ? CLOSING : (end ?? GOES_ON);
  return before === after ? [] : [{ step: last?.call ?? '1', what: 'answer', before, after }];
}

/** undefined: a person or an error ended the run. */
function endText({ stopReason, output }: RunExport['run']): string | undefined {
  if (stopReason === 'return_direct') return `the answer ${JSON.stringify(output)}`;
  return LIMITS_HERE.includes(stopReason ?? '') ? `stops: ${stopReason}` : undefined;
}

/** Leaves out the steps that a rewind of the run has dropped. */
function withoutDropped(record: RunExport): RunExport {
  const restarts = record.events.filter((event) => event.type === 'restarted');
  const isKept = (call: string, at: number) =>
    !restarts.some((restart) => restart.at > at && isDropped(call, restart));
  const events = record.events.filter((event) => {
    if (event.type === 'step') return isKept(event.step.call, event.at);
    return event.type !== 'model_started' || isKept(event.call, event.at);
  });
  return { ...record, events, modelCalls: record.modelCalls.filter(({ call, at }) => isKept(call, at)) };
}

/** The record with the observations that the model saw first. */
function asToldFirst(record: RunExport): RunExport {
  const first = new Map<string, Json>();
  for (const event of record.events) {
    if (event.type === 'step' && event.within === undefined)
      first.set(event.step.call, event.step.observation);
  }
  const told = (step: RunStep) => ({ ...step, observation: first.get(step.call) ?? step.observation });
  return { ...record, run: { ...record.run, intermediateSteps: record.run.intermediateSteps.map(told) } };
}
