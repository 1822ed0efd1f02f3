import type { AgentRun } from '../../client/api/agent-run.ts';
import type { WaitingCall } from '../../agent/rules/waiting.ts';
import type { Onlooker } from './onlooker.ts';
import { type Word, answerWait, refusals } from './operator.ts';
import { isForbidden } from './outside-laws.ts';
import type { Random } from './random.ts';
import { sleep } from './virtual-time.ts';

/** Pause before a word is sent again that `authorize` has refused. */
const PATIENCE_MS = 1000;

/** A program that answers each wait once, as `onWaiting` reports it. */
export function answering(
  random: Random,
  words: Word[],
  broken: Onlooker['broken'],
): (wait: WaitingCall, run: AgentRun) => Promise<void> {
  const told = new Set<string>();
  return async (wait, run) => {
    const name = `wait ${wait.n} of call ${wait.call}`;
    if (told.has(name)) broken(`${run.id}: onWaiting was told of ${name} twice`);
    told.add(name);
    await sleep(random.int(0, 4000));
    await answerWait(run, wait, random, async function speak(word, send) {
      const said: Word = { at: Date.now(), run: run.id, ...word, outcome: 'unknown' };
      words.push(said);
      try {
        await send();
      } catch (error) {
        const { name: type, message } = error as Error;
        said.outcome = refusals.has(type) ? 'refused' : 'unknown';
        said.error = `${type}: ${message}`;
        if (!isForbidden(said)) throw error;
        await sleep(PATIENCE_MS);
        return speak(word, send);
      }
      said.outcome = 'accepted';
      return true;
    });
  };
}
