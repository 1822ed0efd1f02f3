import { utf8Length } from '../../agent/values/digest.ts';

/** What people have said to an agent, until a model call carries it. */
export class Inbox {
  #texts: string[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  /** Already found to fit. */
  add(text: string): void {
    this.#texts.push(text);
    this.#bytes += utf8Length(text);
  }

  /** All of it, oldest first: from now on it is the taker's. */
  take(): string[] {
    const texts = this.#texts;
    this.#texts = [];
    this.#bytes = 0;
    return texts;
  }
}
