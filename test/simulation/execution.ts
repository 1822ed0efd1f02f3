import type { RunState } from '../../workflows/messages.ts';
import type { ActivityTask } from './activity-task.ts';
import { Relations } from './relations.ts';
import { type ResetPoint, restore } from './reset.ts';
import { recordStart } from './start-facts.ts';
import { Timers } from './timers.ts';
import { UpdateRegistry } from './updates.ts';
import { WorkflowTasks } from './workflow-tasks.ts';
import {
  type Failure,
  type HistoryEvent,
  type Job,
  type Payload,
  protos,
  type temporal,
  timestamp,
} from './sdk.ts';
import type { VirtualServer } from './server.ts';

const { EventType } = protos.temporal.api.enums.v1;
type EventTypeName = keyof typeof temporal.api.enums.v1.EventType;

export type End =
  | { type: 'completed'; result: Payload | undefined }
  | { type: 'failed'; failure: Failure }
  | { type: 'canceled' | 'terminated' }
  | { type: 'continued'; newRunId: string };

export interface StartRequest {
  workflowId: string;
  type: string;
  taskQueue: string;
  args: Payload[];
  memo: { [name: string]: Payload };
  searchAttributes: { [name: string]: Payload };
  headers?: { [name: string]: Payload } | undefined;
  userMetadata?: temporal.api.sdk.v1.IUserMetadata | undefined;
  parent?: { execution: Execution; seq: number; initiatedEventId: number } | undefined;
  continuedFrom?: Execution | undefined;
  resetTo?: ResetPoint | undefined;
}

/** A workflow execution as the server keeps it: history, pending work, and the next workflow task. */
export class Execution {
  readonly server: VirtualServer;
  readonly id: string;
  readonly runId: string;
  readonly request: StartRequest;
  readonly startedAt = Date.now();
  readonly seed: number;
  readonly history: HistoryEvent[] = [];
  readonly memo: { [name: string]: Payload };
  readonly searchAttributes: { [name: string]: Payload };
  readonly activities = new Map<number, ActivityTask>();
  /** How the workflow knows its activities, by the ids of their schedules' events. */
  readonly scheduled = new Map<number, { seq: number; isTryCancel: boolean }>();
  readonly updates = new UpdateRegistry(this);
  readonly tasks = new WorkflowTasks(this);
  readonly timers = new Timers(this);
  readonly relations = new Relations(this);
  end: End | undefined;
  /** The execution in which the id continues after a reset. */
  resetRunId: string | undefined;
  closedAt: number | undefined;
  /** State of the run at the end of the workflow's last task, as the workflow answers the query `status`. */
  held: RunState | undefined;
  historyBytes = 0;
  #cancelRequested = false;
  readonly #watchers = new Set<() => void>();

  constructor(server: VirtualServer, runId: string, request: StartRequest, seed: number) {
    this.server = server;
    this.id = request.workflowId;
    this.runId = runId;
    this.request = request;
    const { resetTo } = request;
    this.seed = resetTo?.base.seed ?? seed;
    this.memo = { ...request.memo };
    this.searchAttributes = { ...request.searchAttributes };
    this.tasks.receive(() => (resetTo ? restore(this, resetTo) : this.addJob(recordStart(this))));
  }

  get firstRunId(): string {
    const { continuedFrom, resetTo } = this.request;
    return continuedFrom?.firstRunId ?? resetTo?.base.firstRunId ?? this.runId;
  }

  /** The execution in which the history begins: another one after a reset. */
  get original(): Execution {
    return this.request.resetTo?.base.original ?? this;
  }

  get isOpen(): boolean {
    return this.end === undefined;
  }

  /** Its open work in a line, for stories. */
  summary(): string {
    const activities = [...this.activities.values()].map(
      ({ schedule, state, attempt, identity }) =>
        `${schedule.activityType?.name} ${schedule.activityId} (${state}, attempt ${attempt}, ${identity})`,
    );
    return `${this.id} ${this.runId}: ${this.end?.type ?? 'open'}, workflow task ${this.tasks.state}, ${this.history.length} events, ${this.timers.size} timers, ${this.relations.size} children, ${activities.join(', ')}; last events: ${this.history
      .slice(-12)
      .map(({ eventType }) => EventType[eventType ?? 0]?.replace('EVENT_TYPE_', ''))
      .join(', ')}`;
  }

  /** Calls back once when history grows next. */
  onChange(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  add(
    type: EventTypeName,
    attributes: HistoryEvent,
    userMetadata?: temporal.api.sdk.v1.IUserMetadata | null,
  ): number {
    const id = this.history.length + 1;
    const { HistoryEvent: Event } = protos.temporal.api.history.v1;
    const bytes = Event.encode(
      Event.fromObject({
        eventId: id,
        eventTime: timestamp(Date.now()),
        eventType: EventType[type],
        ...attributes,
        ...(userMetadata ? { userMetadata } : {}),
      }),
    ).finish();
    this.historyBytes += bytes.length;
    this.history.push(Event.decode(bytes));
    for (const watcher of this.#watchers) watcher();
    this.#watchers.clear();
    return id;
  }

  /** Takes over events of another execution. */
  copy(events: readonly HistoryEvent[]): void {
    const { HistoryEvent: Event } = protos.temporal.api.history.v1;
    for (const event of events) this.historyBytes += Event.encode(event).finish().length;
    this.history.push(...events);
  }

  addJob(job: Job): void {
    this.tasks.addJob(job);
  }

  /** Applies a fact of the outside, or keeps it until the workflow task under way is over. */
  receive(fact: () => void): void {
    this.tasks.receive(fact);
  }

  signal(name: string, args: Payload[], headers: { [name: string]: Payload } = {}, from?: Execution): void {
    this.receive(() => {
      this.add('EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED', {
        workflowExecutionSignaledEventAttributes: {
          signalName: name,
          input: { payloads: args },
          identity: 'simulation',
          ...(from === undefined
            ? {}
            : { externalWorkflowExecution: { workflowId: from.id, runId: from.runId } }),
        },
      });
      this.addJob({ signalWorkflow: { signalName: name, input: args, identity: 'simulation', headers } });
    });
  }

  requestCancel(reason = ''): void {
    if (this.#cancelRequested) return;
    this.#cancelRequested = true;
    this.receive(() => {
      this.add('EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED', {
        workflowExecutionCancelRequestedEventAttributes: { cause: reason, identity: 'simulation' },
      });
      this.addJob({ cancelWorkflow: { reason } });
    });
  }

  terminate(reason: string): void {
    if (!this.isOpen) return;
    this.add('EVENT_TYPE_WORKFLOW_EXECUTION_TERMINATED', {
      workflowExecutionTerminatedEventAttributes: { reason, identity: 'simulation' },
    });
    this.close({ type: 'terminated' });
  }

  close(end: End): void {
    this.end = end;
    this.closedAt = Date.now();
    this.tasks.stop();
    this.timers.clear();
    for (const activity of this.activities.values()) activity.drop();
    this.activities.clear();
    this.updates.close(end);
    this.server.closed(this);
    if (end.type === 'continued') return;
    this.relations.close();
    const { parent } = this.request;
    if (parent !== undefined)
      this.server.later(() => parent.execution.relations.ended(parent.seq, this, end));
  }
}
