import { checkpointShare } from '../../agent/calls/checkpoint-share.ts';

/** Bytes that the checkpoints of the calls under way may have, of all agents in this workflow. */
let granted = 0;

/** Takes room for the checkpoints of calls that start together. `share`: bytes for each, until `giveBack` is called. */
export function takeCheckpointRoom(calls: number): { share: number; giveBack(): void } {
  const share = checkpointShare(Math.max(1, calls), granted);
  const taken = calls * share;
  granted += taken;
  return { share, giveBack: () => void (granted -= taken) };
}
