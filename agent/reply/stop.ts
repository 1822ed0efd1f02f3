/**
 * Stop strings, enforced here as well as by the server: a model that continues past `Observation:` invents results, and
 * some servers ignore the `stop` parameter.
 */

/** `stop` is the string the text was cut at; undefined when none occurred. */
export interface Cut {
  text: string;
  stop: string | undefined;
}

/** The text before the first stop string. Of two that start at one place the longer one is reported. */
export function cutAtStop(text: string, stops: readonly string[]): Cut {
  let end = text.length;
  let found: string | undefined;
  for (const stop of stops) {
    const at = stop === '' ? -1 : text.indexOf(stop);
    if (at >= 0 && (at < end || (at === end && found !== undefined && stop.length > found.length))) {
      end = at;
      found = stop;
    }
  }
  return { text: text.slice(0, end), stop: found };
}

/** Cuts a text that arrives in pieces. Pieces are strings: bytes must be decoded before. */
export interface StopCutter {
  /** The text that is now certain to stay; a tail that may be the beginning of a stop string is held back. */
  push(piece: string): string;
  /** The held-back rest, once nothing more comes. */
  end(): string;
  readonly stopped: boolean;
}

export function stopCutter(stops: readonly string[]): StopCutter {
  let held = '';
  let stopped = false;
  return {
    push(piece) {
      if (stopped) return '';
      const text = held + piece;
      const cut = cutAtStop(text, stops);
      const certain = text.length - possibleStop(text, stops);
      // A stop string that was found does not count yet while a longer one may start before it.
      stopped = cut.stop !== undefined && cut.text.length <= certain;
      held = stopped ? '' : text.slice(certain);
      return cut.text.slice(0, certain);
    },
    end() {
      const cut = cutAtStop(held, stops);
      stopped ||= cut.stop !== undefined;
      held = '';
      return cut.text;
    },
    get stopped() {
      return stopped;
    },
  };
}

/** Length of the longest end of `text` that a stop string starts with. */
function possibleStop(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops) {
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(stop.slice(0, length))) longest = length;
    }
  }
  return longest;
}
