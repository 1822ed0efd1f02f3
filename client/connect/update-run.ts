import { type Client, type WorkflowHandle, WorkflowUpdateFailedError } from '@temporalio/client';
import { limits } from '../../agent/values/limits.ts';
import { utf8Length } from '../../agent/values/digest.ts';
import { plainJson } from '../../agent/values/values.ts';
import { abortable } from '../../history/read/pages.ts';
import { DecisionRefused, InvalidInput } from './errors.ts';

/** Sends an update and resolves when the run has taken it, which is recorded. Throws DecisionRefused, InvalidInput. */
export async function updateRun<R>(
  client: Client,
  run: WorkflowHandle,
  name: string,
  data: unknown,
): Promise<R> {
  const args: [unknown] = [sendable(name, data)];
  try {
    return await abortable(client, undefined, () => run.executeUpdate<R, [unknown]>(name, { args }));
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError)) throw error;
    throw new DecisionRefused(error.cause?.message ?? error.message, { cause: error });
  }
}

/**
 * The data of an update as it is sent. Throws for data that the server would refuse without a reason; the run itself
 * checks the rest.
 */
function sendable(name: string, data: unknown): unknown {
  if (data === undefined) return undefined;
  const json = asJson(name, data);
  const bytes = utf8Length(JSON.stringify(json));
  if (bytes <= limits.sentBytes) return json;
  throw new DecisionRefused(
    `${name}: what is sent has ${bytes} bytes, and a run takes ${limits.decisionBytes}. Shorten it.`,
  );
}

function asJson(name: string, data: unknown): unknown {
  try {
    return plainJson(data);
  } catch (error) {
    throw new InvalidInput(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
