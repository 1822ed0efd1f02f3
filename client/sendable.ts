import { limits } from '../agent/limits.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import { plainJson } from '../agent/values.ts';
import { DecisionRefused, InvalidInput } from './errors.ts';

/** The data of an update as it is sent. Throws for what the server would refuse without saying why; the run itself judges the rest. */
export function sendable(name: string, data: unknown): unknown {
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
