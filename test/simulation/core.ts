import { type Command, type Failure, type Job, protos } from './sdk.ts';
import type { RecordedActivation } from './workflow-tasks.ts';

/** Commands and jobs that the SDK's core changes or answers itself, between the server and a workflow. */

const cancelledFailure = (message: string, cause?: Failure): Failure => ({
  message,
  source: 'CoreSDK',
  canceledFailureInfo: {},
  ...(cause === undefined ? {} : { cause }),
});

/** Names of an activity. */
interface Scheduled {
  activityId?: string | null;
  activityType?: string | null;
}

/**
 * Answers that a workflow gets at once for work that it cancels: the work was scheduled in the same workflow task, so that the server
 * never hears of it; or the workflow does not wait for its end. `triedActivity`: of an earlier task.
 */
export function cancelledAtOnce(
  earlier: readonly Command[],
  latest: readonly Command[],
  triedActivity: (seq: number) => Scheduled | undefined,
): Job[] {
  const all = [...earlier, ...latest];
  const jobs: Job[] = [];
  for (const { requestCancelActivity, cancelChildWorkflowExecution, cancelSignalWorkflow } of latest) {
    const signal = cancelSignalWorkflow?.seq;
    const isUnsent = all.some((command) => command.signalExternalWorkflowExecution?.seq === signal);
    if (typeof signal === 'number' && isUnsent) {
      const failure = cancelledFailure('Signal was cancelled before being sent');
      jobs.push({ resolveSignalExternalWorkflow: { seq: signal, failure } });
    }
    if (requestCancelActivity) {
      const { seq } = requestCancelActivity;
      const scheduled =
        all.find((command) => command.scheduleActivity?.seq === seq)?.scheduleActivity ??
        triedActivity(Number(seq));
      if (!scheduled) continue;
      const failure: Failure = {
        message: 'Activity cancelled',
        cause: cancelledFailure('Activity cancelled'),
        activityFailureInfo: {
          activityId: scheduled.activityId ?? null,
          activityType: { name: scheduled.activityType ?? null },
        },
      };
      jobs.push({ resolveActivity: { seq: seq ?? null, result: { cancelled: { failure } } } });
    }
    if (cancelChildWorkflowExecution) {
      const { childWorkflowSeq: seq } = cancelChildWorkflowExecution;
      const started = all.find((command) => command.startChildWorkflowExecution?.seq === seq);
      if (started === undefined) continue;
      const { workflowId, workflowType } = started.startChildWorkflowExecution ?? {};
      const failure: Failure = {
        message: 'Child Workflow execution cancelled before scheduled',
        cause: cancelledFailure('Child Workflow execution cancelled before scheduled'),
        childWorkflowExecutionFailureInfo: {
          workflowExecution: { workflowId: workflowId ?? null },
          workflowType: { name: workflowType ?? null },
        },
      };
      jobs.push({ resolveChildWorkflowExecutionStart: { seq: seq ?? null, cancelled: { failure } } });
    }
  }
  return jobs;
}

/** The commands of a task as the server gets them: without those that a later one of the same task takes back. */
export function commandsToSend(activations: readonly RecordedActivation[]): Command[] {
  const all = activations.flatMap(({ commands }) => commands);
  const cancelledTimers = seqs(all, (command) => command.cancelTimer?.seq);
  const cancelledActivities = seqs(all, (command) => command.requestCancelActivity?.seq);
  const cancelledChildren = seqs(all, (command) => command.cancelChildWorkflowExecution?.childWorkflowSeq);
  const cancelledSignals = seqs(all, (command) => command.cancelSignalWorkflow?.seq);
  const signals = seqs(all, (command) => command.signalExternalWorkflowExecution?.seq);
  const startedTimers = seqs(all, (command) => command.startTimer?.seq);
  const scheduled = seqs(all, (command) => command.scheduleActivity?.seq);
  const children = seqs(all, (command) => command.startChildWorkflowExecution?.seq);
  return all.filter((command) => {
    const isTakenBack =
      both(command.startTimer?.seq ?? command.cancelTimer?.seq, startedTimers, cancelledTimers) ||
      both(
        command.scheduleActivity?.seq ?? command.requestCancelActivity?.seq,
        scheduled,
        cancelledActivities,
      ) ||
      both(
        command.startChildWorkflowExecution?.seq ?? command.cancelChildWorkflowExecution?.childWorkflowSeq,
        children,
        cancelledChildren,
      );
    const isSignal = both(
      command.signalExternalWorkflowExecution?.seq ?? command.cancelSignalWorkflow?.seq,
      signals,
      cancelledSignals,
    );
    return !isTakenBack && !isSignal;
  });
}

function seqs(
  commands: readonly Command[],
  seqOf: (command: Command) => number | null | undefined,
): Set<number> {
  return new Set(commands.flatMap((command) => seqOf(command) ?? []));
}

const both = (seq: number | null | undefined, a: Set<number>, b: Set<number>): boolean =>
  typeof seq === 'number' && a.has(seq) && b.has(seq);

/** Jobs of an activation in a replay: rejected updates left no event, and accepted ones are not validated again. */
export function replayedJobs({ jobs, commands }: RecordedActivation): Job[] {
  const rejected = rejectedIds(commands);
  return jobs.flatMap((job) => {
    if (!job.doUpdate) return [job];
    if (rejected.has(job.doUpdate.protocolInstanceId ?? '')) return [];
    return [{ doUpdate: { ...job.doUpdate, runValidator: false } }];
  });
}

/** The commands as text, to compare those of a replay with the recorded ones. */
export function commandText(commands: readonly Command[]): string[] {
  const rejected = rejectedIds(commands);
  return commands
    .filter(({ updateResponse }) => !rejected.has(updateResponse?.protocolInstanceId ?? ''))
    .map((command) =>
      Buffer.from(
        protos.coresdk.workflow_commands.WorkflowCommand.encode(
          protos.coresdk.workflow_commands.WorkflowCommand.fromObject(command),
        ).finish(),
      ).toString('latin1'),
    );
}

/** Updates that were rejected by their validator: no accepting response comes before. */
function rejectedIds(commands: readonly Command[]): Set<string> {
  const accepted = new Set<string>();
  const rejected = new Set<string>();
  for (const { updateResponse } of commands) {
    const id = updateResponse?.protocolInstanceId ?? '';
    if (updateResponse?.accepted) accepted.add(id);
    if (updateResponse?.rejected && !accepted.has(id)) rejected.add(id);
  }
  return rejected;
}
