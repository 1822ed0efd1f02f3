import type { RunEvent } from '../../agent/run/events.ts';
import { contentText } from '../../agent/values/content.ts';
import type { EventsOptions } from '../read/follow-events.ts';
import { type Input, readInput } from './read-input.ts';
import { recordedText } from './started-with.ts';

interface ReadableRun {
  events(options: EventsOptions): AsyncIterable<RunEvent>;
}

/** The agent and the question of a run, as people read them, and the one that differs from the new question. */
export interface OtherQuestion {
  agent: string;
  question: string;
  differs: { agent: boolean; question: boolean };
}

/**
 * An id belongs to one question to one agent. If the run that has the id was asked something else, returns its agent
 * and question; otherwise undefined. Throws InvalidInput for an input that cannot be recorded.
 */
export async function otherQuestion(
  run: ReadableRun,
  asked: { agent: string; input: Input },
): Promise<OtherQuestion | undefined> {
  const { input } = readInput(asked.input);
  for await (const event of run.events({ follow: false, live: false })) {
    if (event.type !== 'run_started') continue;
    const { agent } = event;
    const differs = {
      agent: agent !== asked.agent,
      question: recordedText(event.input) !== recordedText(input),
    };
    const text = contentText(event.input);
    const question = differs.question && text === contentText(input) ? `${text} (with other content)` : text;
    return differs.agent || differs.question ? { agent, question, differs } : undefined;
  }
  return undefined;
}
