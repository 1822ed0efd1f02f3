/** Deeds that a simulation may do without, such as one word of a person or one fault: those it did, in order, and those left out. */
export interface Deeds {
  readonly done: string[];
  readonly leftOut: ReadonlySet<string>;
}

/** Choices from a seed: the same seed gives the same choices. */
export class Random {
  readonly #seed: number;
  readonly #deeds: Deeds;
  #count = 0;
  #state: number;

  constructor(seed: number, deeds: Deeds = { done: [], leftOut: new Set() }) {
    this.#seed = seed;
    this.#deeds = deeds;
    this.#state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  /** A whole number from `least` to `most`, both inclusive. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Call before a deed that a simulation may do without. false: it is left out. All other choices stay the same. */
  may(deed: string): boolean {
    const name = `${deed} ${this.#seed}.${++this.#count}`;
    if (this.#deeds.leftOut.has(name)) return false;
    this.#deeds.done.push(name);
    return true;
  }

  of<T>(values: readonly T[]): T {
    const value = values[this.int(0, values.length - 1)];
    if (value === undefined) throw new Error('No value to choose from');
    return value;
  }

  /** So many of the values, in their order. */
  some<T>(values: readonly T[], count: number): T[] {
    const left = values.slice();
    while (left.length > count) left.splice(this.int(0, left.length - 1), 1);
    return left;
  }

  /** Choices of its own: those of one part do not change when another part chooses more often. */
  fork(): Random {
    return new Random(this.int(0, 2 ** 31), this.#deeds);
  }
}
