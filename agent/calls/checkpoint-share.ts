import { limits } from '../values/limits.ts';

/**
 * Bytes that the checkpoint of each of `calls` calls may have, which start together. Temporal keeps the heartbeats of all calls under way in
 * the state of their workflow, and terminates a workflow whose state passes 8 MB (`limit.mutableStateSize.error`; seen with server 1.30).
 * `reserved`: bytes that calls of other agents in the same workflow have already; half of the rest is given away at a time.
 */
export function checkpointShare(calls: number, reserved: number): number {
  const { checkpointBytes, checkpointsBytes, checkpointReserveBytes, besideCheckpointBytes } = limits;
  const room = reserved === 0 ? checkpointsBytes : (checkpointsBytes + checkpointReserveBytes - reserved) / 2;
  const share = Math.floor(room / calls) - besideCheckpointBytes;
  return Math.max(0, Math.min(checkpointBytes, share));
}
