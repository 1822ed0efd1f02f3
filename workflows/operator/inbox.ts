import { utf8Length } from '../../agent/values/digest.ts';

/** Messages of people to an agent, until a model call carries them. */
export class Inbox {
  #texts: string[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get isEmpty(): boolean {
    return this.#texts.length === 0;
  }

  /** Adds a message. Its size has been checked. */
  add(text: string): void {
    this.#texts.push(text);
    this.#bytes += utf8Length(text);
  }

  /** Removes and returns all messages, oldest first. */
  take(): string[] {
    const texts = this.#texts;
    this.#texts = [];
    this.#bytes = 0;
    return texts;
  }
}
