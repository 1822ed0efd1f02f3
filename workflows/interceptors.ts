import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { callHeader } from './temporal/call-header.ts';
import { taskRoom } from './task-room.ts';
import { unreadableInput } from './unreadable-input.ts';

/** Interceptors of every worker that runs agents. The SDK looks for an export of this name. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  ...unreadableInput(),
  outbound: [callHeader, taskRoom()], // task room counts the header's bytes
});
