import type { Json } from '../values/vocabulary.ts';
import type { Intent } from './calls.ts';

/** Signal that brings an intent to its run. The heartbeat, which has it too, may be wiped out by a person; a history is not. */
export const CALL_INTENT = 'callIntent';

export interface CallIntent {
  activityId: string;
  intent: Intent;
}

/**
 * Signal that brings a checkpoint of a tool with `cancel` to its run. The heartbeat, which has it too, is lost with a call that is
 * cancelled while no worker has it.
 */
export const CALL_CHECKPOINT = 'callCheckpoint';

export interface CallCheckpoint {
  activityId: string;
  checkpoint: Json;
}
