import { EMPTY_DIGEST, extendDigest } from '../values/digest.ts';

/** Ids that every provider takes: Mistral wants nine letters and digits, Anthropic no dots or colons, OpenAI at most 40 characters. */
const PORTABLE = /^[a-zA-Z0-9]{9}$/u;

/** Ids of the calls of one request: each id is given once. */
export interface RequestIds {
  /** The id of the next call in the request. `providerId`: the one that the provider gave it. */
  next(id: string, providerId: string): string;
}

/**
 * Ids for the calls of a request. An id stays as it came, unless an earlier turn has it already (some servers number the calls
 * of each reply from the start, and Anthropic wants them unique), or `portable` is set and some provider would refuse it. The
 * same ids in the same order give the same ids, so the beginning of a conversation stays the same for the provider's cache.
 */
export function requestIds(portable: boolean): RequestIds {
  const taken = new Set<string>();
  return {
    next(id, providerId) {
      const stays = id !== '' && !taken.has(id) && (!portable || PORTABLE.test(id));
      const given = stays ? id : unused(providerId, taken);
      taken.add(given);
      return given;
    },
  };
}

function unused(id: string, taken: ReadonlySet<string>): string {
  for (let more = 0; ; more++) {
    const made = nineCharacters(`${id}\n${more}`);
    if (!taken.has(made)) return made;
  }
}

function nineCharacters(text: string): string {
  const digest = extendDigest(extendDigest(EMPTY_DIGEST, text), text);
  return BigInt(`0x${digest}`).toString(36).padStart(9, '0').slice(-9);
}
