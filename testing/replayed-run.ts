import { type Repeat, type TurnDecision, scopeOf } from '../agent/calls.ts';
import { freshCounters, reachedLimit } from '../agent/counters.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { withObservations } from '../agent/transcript/edits.ts';
import { type Entry, conversation } from '../agent/transcript/entries.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { ExportedModelCall, RunExport } from '../client/run-export.ts';
import { type Replay, directAnswer, readRecorded, requestDifferences, takeTurn } from './replayed-turn.ts';
import { type Edits, asToldFirst, editsOf } from './edited-run.ts';
import { type RunDifference, decisionText } from './run-difference.ts';
import { steeringOf } from './steered-run.ts';

/** How far the agent went, and where it went another way; what comes after another decision says nothing any more. */
export interface Replayed {
  steps: number;
  differences: RunDifference[];
}

/** Goes through an exported run, reply by reply: today's prompts, parsers and limits, the tools' results of then. */
export function replayRun(exported: Replay): Replayed {
  const replay = { ...exported, record: asToldFirst(exported.record) };
  const { manifest, question, record, scope } = replay;
  const calls = record.modelCalls.filter(({ call }) => scopeOf(call) === scope);
  const steering = steeringOf(record.events, scope);
  const walk: Walk = {
    replay,
    said: steering.said,
    edits: scope === 0 ? editsOf(record.events) : new Map(),
    limits: withMore(manifest, steering.iterations),
    entries: [
      { type: 'agent', manifest },
      { type: 'question', ...question },
    ],
    iterations: 0,
    steps: 0,
    repeat: undefined,
    end: undefined,
    differences: [],
  };
  const wholly = calls.every((call, index) => takeCall(walk, call, calls[index + 1]));
  if (wholly) {
    const end = walk.end ?? limitText(walk.limits, walk.iterations);
    walk.differences.push(...endDifferences(replay, calls.at(-1), end));
  }
  const { steps, differences } = walk;
  return { steps, differences };
}

/** The agent on its way through the record. */
interface Walk {
  readonly replay: Replay;
  readonly said: ReadonlyMap<string, string[]>;
  readonly edits: Edits;
  /** The agent with the limits that hold. */
  readonly limits: AgentManifest;
  entries: Entry[];
  readonly differences: RunDifference[];
  iterations: number;
  steps: number;
  repeat: Repeat | undefined;
  /** What the run of today has ended with. */
  end: string | undefined;
}

/** One reply; false where what follows says nothing any more. */
function takeCall(walk: Walk, recorded: ExportedModelCall, next: ExportedModelCall | undefined): boolean {
  const { replay, differences, said } = walk;
  const { call: step, turn, closing = false } = recorded;
  walk.entries = withObservations(walk.entries, walk.edits.get(Number(step)) ?? new Map<string, Json>());
  const { entries } = walk;
  entries.push(...(said.get(step) ?? []).map((text): Entry => ({ type: 'message', text })));
  walk.end ??= limitText(walk.limits, walk.iterations);
  const unasked = closing ? closingDifference(replay, walk.end) : walk.end;
  if (unasked !== undefined) {
    const before = closing ? CLOSING : decisionText(turn.decision);
    differences.push({ step, what: 'decision', before, after: unasked });
    return false;
  }

  const context = conversation(entries, closing);
  differences.push(...requestDifferences(replay, recorded, context));
  const { decision, repeat } = readRecorded(replay, context, turn, walk.repeat);
  walk.repeat = repeat ?? walk.repeat;
  walk.steps++;
  if (!closing) walk.iterations++;
  const other = decisionDifference(step, turn.decision, decision);
  if (other !== undefined) differences.push(other);
  return other === undefined && takeDecision(walk, recorded, decision, next);
}

/** The consequence of a decision that is the same; false where the run had ended in the middle of its turn. */
function takeDecision(
  walk: Walk,
  recorded: ExportedModelCall,
  decision: TurnDecision,
  next: ExportedModelCall | undefined,
): boolean {
  const { replay, entries, said } = walk;
  if (decision.type === 'finish') entries.push(answerEntry(decision, recorded.turn.text));
  if (decision.type === 'stop') {
    if (next === undefined || next.closing === true) walk.end = STOPPED;
    walk.repeat = undefined; // else a person has let it go on
  }
  if (decision.type !== 'act') return true;
  const taken = takeTurn(replay, recorded, decision.actions);
  if (taken === undefined) return false;
  entries.push(...taken);
  // What was said meanwhile is seen first.
  if (!said.has(next?.call ?? '')) walk.end = directAnswer(replay, taken, next === undefined);
  return true;
}

const GOES_ON = 'asks the model';
const CLOSING = 'asks for the answer at the limit';
const STOPPED = 'stops: max_iterations';

/** A person's message came upon the answer, which the model is shown with it. */
function answerEntry({ log }: { log?: string | undefined }, text: string): Entry {
  return { type: 'message', role: 'assistant', text: log ?? text };
}

function withMore(manifest: AgentManifest, iterations: number): AgentManifest {
  const { maxIterations } = manifest;
  return { ...manifest, maxIterations: maxIterations === null ? null : maxIterations + iterations };
}

/** Time does not pass here. */
function limitText(manifest: AgentManifest, iterations: number): string | undefined {
  const limit = reachedLimit(
    { ...manifest, maxExecutionTimeMs: null },
    { ...freshCounters(0), iterations },
    0,
  );
  return limit && `stops: ${limit}`;
}

/** What the loop does in the place of asking for the answer at a limit; undefined: it asks. */
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

/** How the run ended after its last reply, where that did not say so itself. */
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

/** undefined: somebody or something else ended the run. */
function endText({ stopReason, output }: RunExport['run']): string | undefined {
  if (stopReason === 'return_direct') return `the answer ${JSON.stringify(output)}`;
  return LIMITS_HERE.includes(stopReason ?? '') ? `stops: ${stopReason}` : undefined;
}
