import type { Payload } from '@temporalio/common';
import { type WorkflowInterceptors, defaultPayloadConverter, log, workflowInfo } from '@temporalio/workflow';
import type { InvalidInput } from '../agent/values/refusal.ts';
import { isStartedWorkflow, misstart } from '../agent/start/misstart.ts';
import { runSignals } from '../agent/run/run-signals.ts';
import { unreadable } from '../agent/values/unreadable-payload.ts';
import { AGENT_SESSION, answeredSignal, sendSignal } from './messages.ts';
import { invalidInput } from './checked-input.ts';

/**
 * Fails the workflow at once if its input cannot be decoded, and drops signals that cannot be decoded. The SDK alone would fail the workflow
 * task, and retry it for ever. Updates need no check: the SDK refuses them.
 */
export function unreadableInput(): Required<Pick<WorkflowInterceptors, 'inbound' | 'internals'>> {
  let refusal: InvalidInput | undefined;
  return {
    internals: [
      {
        activate(input, next) {
          const { jobs } = input.activation;
          const { workflowType } = workflowInfo();
          const start = jobs?.[0]?.initializeWorkflow;
          if (start && isStartedWorkflow(workflowType)) {
            const problem = problemOf(start.arguments);
            if (problem !== undefined) {
              refusal = misstart(workflowType, `the input cannot be read: ${problem}`);
              start.arguments = [];
            }
          }
          const known = workflowType === AGENT_SESSION ? sessionSignals : Object.keys(runSignals);
          if (jobs) {
            input.activation.jobs = jobs.filter(({ signalWorkflow: signal }) => {
              if (!signal || !known.includes(signal.signalName ?? '')) return true;
              const problem = problemOf(signal.input);
              if (problem !== undefined) log.warn(`A signal ${signal.signalName} is ignored: ${problem}`);
              return problem === undefined;
            });
          }
          next(input);
        },
      },
    ],
    inbound: [
      {
        async execute(input, next) {
          if (refusal === undefined) return next(input);
          throw invalidInput(refusal);
        },
      },
    ],
  };
}

const sessionSignals = [sendSignal.name, answeredSignal.name];

function problemOf(payloads: readonly Payload[] | null | undefined): string | undefined {
  for (const payload of payloads ?? []) {
    const problem = unreadable(payload, (value) => defaultPayloadConverter.fromPayload(value));
    if (problem !== undefined) return problem;
  }
  return undefined;
}
