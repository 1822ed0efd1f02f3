import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { temporal } from '@temporalio/proto';
import type { AgentRun } from '../../client/index.ts';
import { root } from './cli.ts';
import type { CrashRig } from './crash-rig.ts';
import { type Program, startProgram } from './programs.ts';

/** A worker in a process of its own that waits until it may begin. */
export interface Standby {
  program: Program;
  /** Resolves when it polls. */
  begin(): Promise<void>;
}

export interface StandbyOptions {
  /** A path in this repository. */
  config: string;
  stateDir: string;
  effects: string;
  identity?: string;
  /** One of the config's queues. Default: that of the runs. */
  taskQueue?: string;
}

export async function standBy(
  rig: CrashRig,
  { config, stateDir, effects, identity, taskQueue }: StandbyOptions,
): Promise<Standby> {
  const go = join(rig.folder, randomUUID());
  const args = [join(root, config), rig.server.address, stateDir, go];
  const program = startProgram(
    'test/fixtures/programs/standby-worker.ts',
    identity === undefined ? args : [...args, identity],
    {
      OPENAI_BASE_URL: rig.model.url,
      OPENAI_API_KEY: 'x',
      CRASH_RECORD: effects,
      ...(taskQueue === undefined ? {} : { STANDBY_TASK_QUEUE: taskQueue }),
    },
  );
  await program.prints('standing by');
  return {
    program,
    async begin() {
      writeFileSync(go, '');
      await program.prints('at work');
    },
  };
}

/** The run's activity that has not ended, as the server has it. */
export async function pendingActivity(
  { client }: CrashRig,
  { id }: AgentRun,
): Promise<temporal.api.workflow.v1.IPendingActivityInfo | undefined> {
  const { pendingActivities } = await client.temporal.workflowService.describeWorkflowExecution({
    namespace: 'default',
    execution: { workflowId: id },
  });
  return pendingActivities?.[0];
}

/** Sources of the failures of a run's activities that ended by one. */
export async function failureSources({ client }: CrashRig, { id }: AgentRun): Promise<string[]> {
  const { events } = await client.temporal.workflow.getHandle(id).fetchHistory();
  return (events ?? []).flatMap(
    ({ activityTaskFailedEventAttributes, activityTaskTimedOutEventAttributes }) => {
      const ended = activityTaskFailedEventAttributes ?? activityTaskTimedOutEventAttributes;
      return ended ? [ended.failure?.source ?? ''] : [];
    },
  );
}
