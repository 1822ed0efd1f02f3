import type { Payload } from '@temporalio/common';
import {
  type WorkflowInterceptors,
  type WorkflowInternalsInterceptor,
  type WorkflowOutboundCallsInterceptor,
  defaultPayloadConverter,
} from '@temporalio/workflow';
import type { RecordedMeta } from '../../agent/calls/call-meta.ts';
import { ENCRYPTING } from '../../agent/values/names.ts';

type Internals = Required<Pick<WorkflowInternalsInterceptor, 'activate' | 'concludeActivation'>>;
type Job = NonNullable<Parameters<Internals['activate']>[0]['activation']['jobs']>[number];
type Command = Parameters<Internals['concludeActivation']>[0]['commands'][number];
type Failure = NonNullable<NonNullable<Command['failWorkflowExecution']>['failure']>;

/** Message of a failure whose own message is in `encodedAttributes`. All SDKs use this one. */
const ENCODED = 'Encoded failure';

/**
 * Moves contents into payloads if the worker encrypts: the messages and stacks of failures, and the checkpoint in a call's header. The codec
 * encrypts payloads, and neither failures nor headers.
 */
export function encryptedContents(): Required<Pick<WorkflowInterceptors, 'internals' | 'outbound'>> {
  let encrypts = false;
  const internals: Internals = {
    activate(input, next) {
      encrypts ||= input.activation.jobs?.some(comesEncrypted) === true;
      return next(input);
    },
    concludeActivation(input, next) {
      if (encrypts) for (const command of input.commands) failuresIn(command).forEach(encodeFailure);
      return next(input);
    },
  };
  const outbound: WorkflowOutboundCallsInterceptor = {
    scheduleActivity: (input, next) => next(encrypts ? withoutCheckpoint(input) : input),
  };
  return { internals: [internals], outbound: [outbound] };
}

function comesEncrypted(job: Job): boolean {
  const { initializeWorkflow, resolveActivity, signalWorkflow, doUpdate } = job;
  const payloads: (Payload | null | undefined)[] = [
    ...(initializeWorkflow?.arguments ?? []),
    resolveActivity?.result?.completed?.result,
    ...(signalWorkflow?.input ?? []),
    ...(doUpdate?.input ?? []),
  ];
  return payloads.some((payload) => payload?.metadata?.[ENCRYPTING] !== undefined);
}

function failuresIn({ failWorkflowExecution, updateResponse, respondToQuery }: Command): Failure[] {
  const failures = [failWorkflowExecution?.failure, updateResponse?.rejected, respondToQuery?.failed];
  return failures.flatMap((failure) => failure ?? []);
}

/** Changes the failure and its causes. A failure of an activity comes with its attributes, which are those of its message. */
function encodeFailure(failure: Failure): void {
  if (failure.cause) encodeFailure(failure.cause);
  const { message, stackTrace, encodedAttributes } = failure;
  if (encodedAttributes && message === ENCODED) return;
  failure.encodedAttributes = defaultPayloadConverter.toPayload({ message, stack_trace: stackTrace });
  failure.message = ENCODED;
  failure.stackTrace = '';
}

type Scheduled = Parameters<NonNullable<WorkflowOutboundCallsInterceptor['scheduleActivity']>>[0];

/** Moves the checkpoint from the header to a second argument. */
function withoutCheckpoint(input: Scheduled): Scheduled {
  const header = input.headers['reloop'];
  if (header === undefined) return input;
  const { checkpoint, ...meta } = defaultPayloadConverter.fromPayload<RecordedMeta>(header);
  if (checkpoint === undefined) return input;
  const moved: RecordedMeta = { ...meta, checkpointFollows: true };
  const headers = { ...input.headers, reloop: defaultPayloadConverter.toPayload(moved) };
  return { ...input, headers, args: [...input.args, checkpoint] };
}
