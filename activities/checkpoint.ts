import { limits } from '../agent/limits.ts';
import { utf8Length } from '../agent/transcript/digest.ts';
import { plainJson } from '../agent/values.ts';
import type { Json } from '../agent/vocabulary.ts';

/** A checkpoint that cannot be stored. The next attempt would come to the same point. */
class CheckpointError extends Error {
  override name = 'CheckpointError';
  readonly retryable = false;
}

/** A tool's checkpoint as it is recorded. Throws {@link CheckpointError}; nothing is stored then. */
export function checkedCheckpoint(tool: string, value: unknown): Json {
  const checkpoint = asJson(tool, value);
  const bytes = utf8Length(JSON.stringify(checkpoint));
  if (bytes <= limits.checkpointBytes) return checkpoint;
  throw new CheckpointError(
    `The checkpoint of ${tool} has ${bytes} bytes as JSON; at most ${limits.checkpointBytes} can be stored, so it was not. Store where the work is kept, not the work itself.`,
  );
}

function asJson(tool: string, value: unknown): Json {
  try {
    return plainJson(value);
  } catch (error) {
    const why = error instanceof TypeError ? error.message : 'It cannot be written as JSON.';
    throw new CheckpointError(`The checkpoint of ${tool} was not stored. ${why}`, { cause: error });
  }
}
