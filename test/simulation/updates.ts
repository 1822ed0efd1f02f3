import type { Command, Failure, Job, Payload, temporal } from './sdk.ts';
import type { End, Execution } from './execution.ts';

/** How an update ended, as the client is told. */
export type UpdateOutcome = { success: Payload[] } | { failure: Failure } | { gone: End };

interface Update {
  id: string;
  name: string;
  args: Payload[];
  headers: { [name: string]: Payload };
  state: 'admitted' | 'sent' | 'accepted';
  /** By a reset: the event of the admission has the content. */
  isRepeated: boolean;
  acceptedEventId: number;
  settle(outcome: UpdateOutcome): void;
}

/** Updates of an execution: admitted, accepted, completed. A rejected one leaves no event. */
export class UpdateRegistry {
  readonly #execution: Execution;
  readonly #updates = new Map<string, Update>();
  readonly #outcomes = new Map<string, Promise<UpdateOutcome>>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  get hasWaiting(): boolean {
    return [...this.#updates.values()].some(({ state }) => state === 'admitted');
  }

  isKnown(id: string): boolean {
    return this.#outcomes.has(id);
  }

  /** The outcome of a new update, or of an earlier one of the id. */
  admit(
    id: string,
    name: string,
    args: Payload[],
    headers: { [name: string]: Payload },
  ): Promise<UpdateOutcome> {
    const known = this.#outcomes.get(id);
    if (known !== undefined) return known;
    const outcome = new Promise<UpdateOutcome>((settle) => {
      this.#updates.set(id, {
        id,
        name,
        args,
        headers,
        state: 'admitted',
        isRepeated: false,
        acceptedEventId: 0,
        settle,
      });
    });
    this.#outcomes.set(id, outcome);
    this.#execution.tasks.updateAdmitted();
    return outcome;
  }

  /** Admits an update that another execution has accepted. */
  repeat(request: temporal.api.update.v1.IRequest): void {
    const { meta, input } = request;
    const id = meta?.updateId ?? '';
    this.#execution.add('EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ADMITTED', {
      workflowExecutionUpdateAdmittedEventAttributes: { request, origin: 1 },
    });
    void this.admit(id, input?.name ?? '', input?.args?.payloads ?? [], input?.header?.fields ?? {});
    const update = this.#updates.get(id);
    if (update !== undefined) update.isRepeated = true;
  }

  /** Jobs for the workflow task that begins. */
  jobs(): Job[] {
    const jobs: Job[] = [];
    for (const update of this.#updates.values()) {
      if (update.state === 'accepted') continue;
      update.state = 'sent';
      jobs.push({
        doUpdate: {
          id: update.id,
          protocolInstanceId: update.id,
          name: update.name,
          input: update.args,
          headers: update.headers,
          meta: { updateId: update.id, identity: 'simulation' },
          runValidator: true,
        },
      });
    }
    return jobs;
  }

  /** Applies the workflow's answer to an update. */
  respond({ updateResponse }: Command): void {
    const update = this.#updates.get(updateResponse?.protocolInstanceId ?? '');
    if (update === undefined || !updateResponse) return;
    if (updateResponse.rejected && update.state === 'accepted') {
      this.#complete(update, { failure: updateResponse.rejected });
      return;
    }
    if (updateResponse.rejected) {
      this.#updates.delete(update.id);
      this.#outcomes.delete(update.id);
      update.settle({ failure: updateResponse.rejected });
      return;
    }
    if (updateResponse.accepted) {
      update.state = 'accepted';
      update.acceptedEventId = this.#execution.add('EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED', {
        workflowExecutionUpdateAcceptedEventAttributes: {
          protocolInstanceId: update.id,
          acceptedRequestMessageId: `${update.id}/request`,
          ...(update.isRepeated ? {} : { acceptedRequest: requestOf(update) }),
        },
      });
      return;
    }
    const { completed } = updateResponse;
    this.#complete(update, { success: completed ? [completed] : [] });
  }

  /** The execution is over: what was not accepted can be sent to its successor, if there is one. */
  close(end: End): void {
    for (const update of this.#updates.values()) {
      if (update.state !== 'accepted') update.settle({ gone: end });
      else
        update.settle({
          failure: {
            message: 'Workflow Update failed because the Workflow completed before the Update completed.',
            source: 'Server',
            applicationFailureInfo: { type: 'AcceptedUpdateCompletedWorkflow', nonRetryable: true },
          },
        });
    }
    this.#updates.clear();
  }

  #complete(update: Update, outcome: { success: Payload[] } | { failure: Failure }): void {
    this.#updates.delete(update.id);
    this.#execution.add('EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED', {
      workflowExecutionUpdateCompletedEventAttributes: {
        meta: { updateId: update.id, identity: 'simulation' },
        acceptedEventId: update.acceptedEventId as never,
        outcome: 'success' in outcome ? { success: { payloads: outcome.success } } : outcome,
      },
    });
    update.settle(outcome);
  }
}

function requestOf({ id, name, args, headers }: Update): temporal.api.update.v1.IRequest {
  return {
    meta: { updateId: id, identity: 'simulation' },
    input: { header: { fields: headers }, name, args: { payloads: args } },
  };
}
