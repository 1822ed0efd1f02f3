/** @import { WaitingRun, CallToDecide } from '../../waiting/waiting-run.ts' */
/** @import { Message } from './api.js' */

/**
 * A call that waits, with its run. `key`: no other wait has it.
 * @typedef {{ key: string, run: WaitingRun, call: CallToDecide }} Wait
 */

/** The runs that wait, from the messages of `waiting/events`. A new connection brings all of them again. */
export function createWaits() {
  /** @type {Map<string, WaitingRun>} */
  const runs = new Map();
  /** @type {Set<string>} */
  let known = new Set();

  return {
    /** True when the first list is complete. */
    isLoaded: false,
    /** More runs wait than are listed. */
    more: false,

    connected() {
      known = new Set();
    },

    /** @param {Message} message */
    add({ event, data }) {
      if (event === 'waiting') {
        const { run } = /** @type {{ run: WaitingRun }} */ (data);
        runs.set(run.id, run);
        known.add(run.id);
      } else if (event === 'over') {
        runs.delete(/** @type {{ id: string }} */ (data).id);
      } else if (event === 'caught_up') {
        for (const id of runs.keys()) if (!known.has(id)) runs.delete(id);
        this.more = /** @type {{ more: boolean }} */ (data).more;
        this.isLoaded = true;
      }
    },

    /** Runs that wait and cannot be read, and runs that an operator has paused in Temporal. */
    halted() {
      return [...runs.values()].filter(({ problem, paused }) => (problem ?? paused) !== undefined);
    },

    /**
     * The waits of all runs, or of one; the longest comes first.
     * @param {string} [id]
     * @returns {Wait[]}
     */
    list(id) {
      const wanted = [...runs.values()].filter((run) => id === undefined || run.id === id);
      return wanted
        .flatMap((run) => run.calls.map((call) => ({ key: `${run.id} ${call.call} ${call.n}`, run, call })))
        .sort((a, b) => a.call.since - b.call.since);
    },
  };
}
