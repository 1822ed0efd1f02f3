import { condition, continueAsNew, defineUpdate, setHandler, workflowInfo } from '@temporalio/workflow';
import { LEASE, type Lease, type LeaseRequest, isLeaseRequest } from '../agent/model-limits/lease-request.ts';
import { type LimiterState, lease, newLimiter } from '../agent/model-limits/limiter.ts';

/** Time without a message after which the workflow ends. The next call starts another one. */
const IDLE_MS = 5 * 60_000;

const leaseUpdate = defineUpdate<Lease, [LeaseRequest]>(LEASE);

/** Shares the limits of one model among all workers of a task queue. */
export async function modelLimits(continued?: LimiterState): Promise<void> {
  let state = continued ?? newLimiter(Date.now());
  let heard = true;
  setHandler(
    leaseUpdate,
    (request) => {
      heard = true;
      const answer = lease(state, request, Date.now());
      state = answer.state;
      return answer.lease;
    },
    {
      validator(...sent: unknown[]) {
        if (!isLeaseRequest(sent[0]))
          throw new Error('lease: workers send this message; there is nothing to type.');
      },
      description: 'Sent by workers that call the model. There is nothing to type.',
    },
  );
  while (heard) {
    heard = false;
    if (await condition(() => workflowInfo().continueAsNewSuggested, IDLE_MS)) {
      await continueAsNew<typeof modelLimits>(state);
    }
  }
}
