import { limits } from '../../agent/values/limits.ts';
import { perRun } from '../temporal/run-state.ts';

/** The bytes that the checkpoints of the calls under way may have, of all agents in this workflow. */
const room = perRun(() => ({ granted: 0 }));

/** Takes room for the checkpoints of calls that start together. `share`: bytes for each, until `giveBack` is called. */
export function takeCheckpointRoom(calls: number): { share: number; giveBack(): void } {
  const all = room();
  const share = checkpointShare(Math.max(1, calls), all.granted);
  const taken = calls * share;
  all.granted += taken;
  return { share, giveBack: () => void (all.granted -= taken) };
}

/**
 * Bytes that the checkpoint of each of `calls` calls may have, which start together. Temporal keeps the heartbeats of all calls under way in
 * the state of their workflow, and terminates a workflow whose state passes 8 MB (`limit.mutableStateSize.error`; seen with server 1.30).
 * `reserved`: bytes that calls of other agents in the same workflow have already; half of the rest is given away at a time.
 */
function checkpointShare(calls: number, reserved: number): number {
  const { checkpointBytes, checkpointsBytes, checkpointReserveBytes, besideCheckpointBytes } = limits;
  const bytes =
    reserved === 0 ? checkpointsBytes : (checkpointsBytes + checkpointReserveBytes - reserved) / 2;
  const share = Math.floor(bytes / calls) - besideCheckpointBytes;
  return Math.max(0, Math.min(checkpointBytes, share));
}
