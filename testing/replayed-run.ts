import type { Repeat, TurnDecision } from '../agent/calls.ts';
import { freshCounters, reachedLimit } from '../agent/counters.ts';
import type { AgentManifest } from '../agent/manifest.ts';
import { type Entry, conversation } from '../agent/transcript/entries.ts';
import type { ExportedModelCall, RunExport } from '../client/run-export.ts';
import { type Replay, directAnswer, readRecorded, requestDifferences, takeTurn } from './replayed-turn.ts';
import { type RunDifference, decisionText } from './run-difference.ts';

/** How far the agent went, and where it went another way; what comes after another decision says nothing any more. */
export interface Replayed {
  steps: number;
  differences: RunDifference[];
}

/** Goes through an exported run, reply by reply: today's prompts, parsers and limits, the tools' results of then. */
export function replayRun(replay: Replay): Replayed {
  const { manifest, question, record, scope } = replay;
  const entries: Entry[] = [
    { type: 'agent', manifest },
    { type: 'question', ...question },
  ];
  const calls = record.modelCalls.filter(({ call }) => scopeOf(call) === scope);
  const differences: RunDifference[] = [];
  let [steps, iterations] = [0, 0];
  let repeat: Repeat | undefined;
  let end: string | undefined;
  for (const recorded of calls) {
    const { call: step, turn, closing = false } = recorded;
    end ??= limitText(manifest, iterations);
    const unasked = closing ? closingDifference(replay, end) : end;
    if (unasked !== undefined) {
      const before = closing ? CLOSING : decisionText(turn.decision);
      return { steps, differences: [...differences, { step, what: 'decision', before, after: unasked }] };
    }

    const context = conversation(entries, closing);
    differences.push(...requestDifferences(replay, recorded, context));
    const read = readRecorded(replay, context, turn, repeat);
    repeat = read.repeat ?? repeat;
    steps++;
    if (!closing) iterations++;
    const other = decisionDifference(step, turn.decision, read.decision);
    if (other !== undefined) return { steps, differences: [...differences, other] };
    if (read.decision.type === 'stop') end = STOPPED;
    if (read.decision.type !== 'act') continue;

    const taken = takeTurn(replay, recorded, read.decision.actions);
    if (taken === undefined) return { steps, differences };
    entries.push(...taken);
    end = directAnswer(replay, taken, recorded === calls.at(-1));
  }
  const after = end ?? limitText(manifest, iterations);
  return { steps, differences: [...differences, ...endDifferences(replay, calls.at(-1), after)] };
}

const GOES_ON = 'asks the model';
const CLOSING = 'asks for the answer at the limit';
const STOPPED = 'stops: max_iterations';

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

function scopeOf(call: string): number {
  return call.includes('/') ? Number(call.slice(0, call.indexOf('/'))) : 0;
}
