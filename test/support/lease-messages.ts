import { type Client, defaultPayloadConverter } from '@temporalio/client';
import { type Lease, type LeaseRequest, limiterId } from '../../agent/model-limits/lease-request.ts';

/** Messages of workers to the workflow that keeps a model's limits, and the answers, as its history has them. */
export async function leaseMessages(
  client: Client,
  taskQueue: string,
  model: string,
): Promise<{ request: LeaseRequest; lease: Lease | undefined }[]> {
  const { events } = await client.workflow.getHandle(limiterId(taskQueue, model)).fetchHistory();
  const requests = new Map<string, LeaseRequest>();
  const leases = new Map<string, Lease>();
  for (const event of events ?? []) {
    const accepted = event.workflowExecutionUpdateAcceptedEventAttributes;
    const [request] = accepted?.acceptedRequest?.input?.args?.payloads ?? [];
    if (request)
      requests.set(accepted?.protocolInstanceId ?? '', defaultPayloadConverter.fromPayload(request));
    const completed = event.workflowExecutionUpdateCompletedEventAttributes;
    const [lease] = completed?.outcome?.success?.payloads ?? [];
    if (lease) leases.set(completed?.meta?.updateId ?? '', defaultPayloadConverter.fromPayload(lease));
  }
  return [...requests].map(([id, request]) => ({ request, lease: leases.get(id) }));
}
