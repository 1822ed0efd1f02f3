import { condition } from '@temporalio/workflow';
import type { Entry } from '../../agent/transcript/entries.ts';
import type { AgentLoop } from './agent-loop.ts';
import { append } from './transcript.ts';
import { boundedTurn, deltaEntries, fullEntries } from './turn.ts';

/** Adds the results of background calls that have ended to the transcript. The next model call carries them. */
export function appendLateResults({ background, transcript }: AgentLoop): void {
  if (!background.hasResult) return;
  const turn = boundedTurn({ reply: undefined, steps: background.takeResults() });
  append(transcript, deltaEntries(turn).map(asLate), fullEntries(turn).map(asLate));
}

/** Waits before the end of a run until no background call is under way, or `isNews` holds while the run is not paused. */
export async function backgroundOver(
  { background, pause }: AgentLoop,
  isNews: () => boolean = () => false,
): Promise<void> {
  await condition(() => !pause.isOn && (!background.isOpen || isNews()));
}

function asLate(entry: Entry): Entry {
  if (entry.type !== 'step') return entry;
  const { call, action, observation, ref, personsInput } = entry;
  const { tool, toolInput } = action;
  return {
    type: 'late',
    call,
    tool,
    observation,
    ref,
    personsInput: personsInput === true ? toolInput : undefined,
  };
}
