import { limits } from '../values/limits.ts';

/**
 * Bytes that the checkpoint of each of `calls` calls may have, which begin together. Temporal keeps the heartbeats of all calls under way in
 * the state of their workflow, and terminates a workflow whose state passes 8 MB (`limit.mutableStateSize.error`; seen with server 1.30).
 * `granted`: what calls of other agents in the same workflow may have already; they leave a rest, of which half is given away at a time.
 */
export function checkpointShare(calls: number, granted: number): number {
  const { checkpointBytes, checkpointsBytes, checkpointReserveBytes, besideCheckpointBytes } = limits;
  const room = granted === 0 ? checkpointsBytes : (checkpointsBytes + checkpointReserveBytes - granted) / 2;
  const share = Math.floor(room / calls) - besideCheckpointBytes;
  return Math.max(0, Math.min(checkpointBytes, share));
}
