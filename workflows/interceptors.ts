import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { callHeader } from './temporal/call-header.ts';
import { encryptedContents } from './temporal/encrypted-contents.ts';
import { taskRoom } from './task-room.ts';
import { unreadableInput } from './unreadable-input.ts';

/** Interceptors of every worker that runs agents. The SDK looks for an export of this name. */
export const interceptors: WorkflowInterceptorsFactory = () => {
  const encrypted = encryptedContents();
  const { inbound, internals } = unreadableInput();
  return {
    inbound,
    internals: [...encrypted.internals, ...internals],
    outbound: [callHeader, ...encrypted.outbound, taskRoom()], // task room counts the header's bytes
  };
};
