import { QUESTION, type Story, answerOf, question } from './stories.ts';

export interface ChatMessage {
  role: string;
  content?: unknown;
  tool_calls?: unknown[];
}

/** The messages that the model was asked to answer in a run, and its replies. */
export class Thread {
  /** Whole replies by story, message and step: a sub-agent has a story of its own. */
  readonly replies = new Map<string, number>();
  readonly heard = new Set<number>();
  unknowing = 0;

  hear(message: number): void {
    this.heard.add(message);
  }

  answer(place: string, isUnknowing: boolean): void {
    this.replies.set(place, (this.replies.get(place) ?? 0) + 1);
    if (isUnknowing) this.unknowing += 1;
  }
}

/** Reads from a request which message of which run it is about, and how many replies with calls came since. */
export function lastMessage(messages: readonly ChatMessage[]) {
  const place = messages.findLastIndex(
    ({ role, content }) => role === 'user' && QUESTION.test(textOf(content)),
  );
  const [, story = '', run = '', message = ''] = QUESTION.exec(textOf(messages[place]?.content)) ?? [];
  const step = messages.slice(place).filter(({ tool_calls: calls = [] }) => calls.length > 0).length;
  return { story, run, message: Number(message), step };
}

/** Returns true if a request has all earlier messages of the thread, and their answers. */
export function knowsAll(story: Story, message: number, messages: readonly ChatMessage[]): boolean {
  const [, , run = ''] = QUESTION.exec(messages.map(({ content }) => textOf(content)).join('\n')) ?? [];
  const has = (role: string, text: string) =>
    messages.some((one) => one.role === role && textOf(one.content).includes(text));
  return Array.from({ length: message - 1 }, (_, index) => index + 1).every(
    (earlier) =>
      has('user', question(story.name, run, earlier)) && has('assistant', answerOf(story, earlier)),
  );
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? '');
