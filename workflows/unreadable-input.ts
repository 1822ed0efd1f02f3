import type { Payload } from '@temporalio/common';
import { type WorkflowInterceptors, defaultPayloadConverter, log, workflowInfo } from '@temporalio/workflow';
import type { InvalidInput } from '../agent/values/refusal.ts';
import { isStartedWorkflow, misstart } from '../agent/start/misstart.ts';
import { runSignals } from '../agent/run/run-signals.ts';
import { unreadable } from '../agent/values/unreadable-payload.ts';
import { AGENT_SESSION, answeredSignal, sendSignal } from './messages.ts';
import { invalidInput } from './run-input.ts';

/**
 * Input that no worker can read fails the workflow at once; such a signal is left out. To the SDK it is a
 * failure of the workflow task, which is tried again for ever. Updates the SDK refuses itself.
 */
export function unreadableInput(): Required<Pick<WorkflowInterceptors, 'inbound' | 'internals'>> {
  let refusal: InvalidInput | undefined;
  return {
    internals: [
      {
        activate(input, next) {
          const { jobs } = input.activation;
          const { workflowType } = workflowInfo();
          const begun = jobs?.[0]?.initializeWorkflow;
          if (begun && isStartedWorkflow(workflowType)) {
            const problem = problemOf(begun.arguments);
            if (problem !== undefined) {
              refusal = misstart(workflowType, `the input cannot be read: ${problem}`);
              begun.arguments = [];
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
    const problem = unreadable(payload, (one) => defaultPayloadConverter.fromPayload(one));
    if (problem !== undefined) return problem;
  }
  return undefined;
}
