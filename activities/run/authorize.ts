import { Context } from '@temporalio/activity';
import type { SentMessage } from '../../agent/rules/sender.ts';
import { classifyError } from '../attempt/errors.ts';
import { startHeartbeat } from '../attempt/heartbeat.ts';
import { inTime } from '../attempt/in-time.ts';
import type { Dependencies } from '../dependencies.ts';

/** Asks the config's `authorize` about a person's decision or message. Returns the reason of a refusal; null: the run accepts it. */
export function createAuthorize({ authorize }: Pick<Dependencies, 'authorize'>) {
  return async (word: SentMessage): Promise<string | null> => {
    if (authorize === undefined)
      return 'the run started with `authorize`, which the config of this worker does not have. Add it again.';
    const heartbeat = startHeartbeat(Context.current());
    try {
      // A function in JavaScript may return anything.
      const isAllowed = await inTime(Promise.resolve(authorize(word)), 'gave no answer');
      return isAllowed === true ? null : `${word.by ?? 'a sender without a name'} may not do that.`;
    } catch (error) {
      return `authorize failed, so nothing was done: ${classifyError(error).message}`;
    } finally {
      heartbeat.stop();
    }
  };
}
