import type { Client } from '@temporalio/client';
import { keyIdOf } from '../../features/encryption/codec.ts';
import { EncryptionKeyMissing, type Keyring, noKeys } from '../../features/encryption/keys.ts';
import { type Check, ok, problem } from './check-result.ts';

/** The newest runs of a task queue that are looked at. */
const NEWEST = 100;

/** Checks that each of the newest runs has a key here. Says nothing where nothing is encrypted. */
export async function checkKeys(
  { workflowService, options: { namespace } }: Client,
  taskQueue: string,
  keys: Keyring = noKeys,
): Promise<Check[]> {
  const name = 'encryption';
  try {
    const { executions } = await workflowService.listWorkflowExecutions({
      namespace,
      query: `TaskQueue = '${taskQueue}'`,
      pageSize: NEWEST,
    });
    const ids = executions.flatMap(({ memo }) => {
      const [first] = Object.values(memo?.fields ?? {});
      return (first && keyIdOf(first)) ?? [];
    });
    for (const id of new Set(ids)) await keys.find(id);
    const current = await keys.current();
    return current === undefined ? [] : [ok(name, `payloads are encrypted with the key "${current.id}"`)];
  } catch (error) {
    const found =
      error instanceof EncryptionKeyMissing ? 'a key is missing here' : 'the keys cannot be checked';
    return [problem(name, found, error)];
  }
}
