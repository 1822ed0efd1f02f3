import type { WorkflowHandle } from '@temporalio/client';
import type { Payload } from '@temporalio/common';

export const bytes = (text: string) => new TextEncoder().encode(text);
const payload = (encoding: string, data: string): Payload => ({
  metadata: { encoding: bytes(encoding) },
  data: bytes(data),
});

/** Payloads that no worker can read, and what each is. */
export const unreadable: [string, Payload][] = [
  ['protobuf as JSON', payload('json/protobuf', '{"agent":"helper"}')],
  ['protobuf', payload('binary/protobuf', 'x')],
  ['no JSON', payload('json/plain', '{agent: helper}')],
  ['no encoding', { metadata: {}, data: bytes('{}') }],
];

/** Workflow tasks that failed: each is tried again for ever. */
export async function failedTasks(run: WorkflowHandle): Promise<number> {
  const { events } = await run.fetchHistory();
  return (events ?? []).filter((event) => event.workflowTaskFailedEventAttributes).length;
}
