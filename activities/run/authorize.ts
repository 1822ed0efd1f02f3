import { Context } from '@temporalio/activity';
import type { SentWord } from '../../agent/rules/sender.ts';
import { limits } from '../../agent/values/limits.ts';
import { boundedText, fieldOf } from '../../agent/values/values.ts';
import type { Dependencies } from '../dependencies.ts';

/** Pause between heartbeats, by which Temporal learns of a worker's death. */
const BEAT_MS = 1_000;

/** Asks the config's `authorize` about the word of a person. Returns the reason of a refusal; null: the run takes the word. */
export function createAuthorize({ authorize }: Pick<Dependencies, 'authorize'>) {
  return async (word: SentWord): Promise<string | null> => {
    if (authorize === undefined)
      return 'the run began with `authorize`, which the config of this worker does not have. Add it again.';
    const beats = setInterval(() => Context.current().heartbeat(), BEAT_MS);
    try {
      // In JavaScript the function may return anything.
      const isAllowed: unknown = await inTime(Promise.resolve(authorize(word)));
      return isAllowed === true ? null : `${word.by ?? 'a sender without a name'} may not do that.`;
    } catch (error) {
      const reason = boundedText(fieldOf(error, 'message') ?? error, limits.errorChars);
      return `authorize failed, so nothing was done: ${reason}`;
    } finally {
      clearInterval(beats);
    }
  };
}

async function inTime(answer: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const message = `it gave no answer within ${limits.approvalMs / 1000} s.`;
    timer = setTimeout(() => reject(new Error(message)), limits.approvalMs);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
