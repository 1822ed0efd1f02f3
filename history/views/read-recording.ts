import type { Client } from '@temporalio/client';
import type { RecordedQuestion } from '../../agent/backtest/backtest-calls.ts';
import { carriedMessages } from '../../agent/calls/uncarried-messages.ts';
import { type RunOutline, addToOutline, emptyOutline } from '../../agent/backtest/outline.ts';
import { type Recording, addToRecording, emptyRecording } from '../../agent/backtest/recording.ts';
import { qualifyMediaRefs } from '../../agent/start/media-refs.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { type Entry, agentOf } from '../../agent/transcript/entries.ts';
import { readLineage } from '../read/lineage.ts';
import type { RunRef } from '../read/pages.ts';
import { sourceOf } from './requests.ts';
import { createTrace } from '../trace/trace.ts';
import { transcriptReader } from './transcript.ts';
import { type SaidAgain, asRunInput } from '../../agent/run/run-input.ts';

/** Reads the question and the context of a run, and later messages to it. Throws InvalidInput for a workflow that is not an agent's run. */
export async function readQuestion(client: Client, run: RunRef): Promise<RecordedQuestion> {
  const messages = await readMessages(client, run);
  return { ...(await questionOf(client, run)), said: messages.length === 0 ? undefined : messages };
}

/** The part of a recorded question that the run had at its start. */
type QuestionAtStart = Omit<RecordedQuestion, 'said'>;

async function questionOf(client: Client, run: RunRef): Promise<QuestionAtStart> {
  const atStart = await questionAtStart(client, run);
  if (atStart !== undefined) return atStart;
  const entries = await firstEntries(client, run);
  const entry = entries.find(({ type }) => type === 'question');
  if (entry?.type !== 'question') {
    throw new InvalidInput(`"${run.workflowId}" has no question: it is not a run of an agent.`);
  }
  const { type: _, ...question } = entry;
  return { question, context: agentOf(entries)?.manifest.context };
}

/** Reads the calls of a run, to answer the calls of a backtest with them. */
export async function readRecording(client: Client, run: RunRef): Promise<Recording> {
  const recording = emptyRecording();
  const agent = (await firstEntries(client, run)).find((entry) => entry.type === 'agent');
  for await (const event of recordedEvents(client, run)) addToRecording(recording, event, agent?.manifest);
  return recording;
}

/** Reads the outline of a run, to compare it with another run. */
export async function readOutline(client: Client, run: RunRef): Promise<RunOutline> {
  const outline = emptyOutline();
  for await (const event of recordedEvents(client, run)) addToOutline(outline, event);
  return outline;
}

async function* recordedEvents(client: Client, run: RunRef): AsyncGenerator<RunEvent> {
  const trace = createTrace(run.workflowId);
  for await (const fact of readLineage(client, run, false)) yield* await trace.next(fact);
}

/** Reads the question in the first start that is recorded. undefined: the run continues another run that is past retention. */
async function questionAtStart(client: Client, run: RunRef): Promise<QuestionAtStart | undefined> {
  for await (const fact of readLineage(client, run, false)) {
    if (fact.type !== 'started') return undefined;
    const { workflowId, runId } = fact;
    const { question, overrides } = asRunInput(await fact.input()) ?? {};
    if (question === undefined) return undefined;
    const input = qualifyMediaRefs(question.input, { workflowId, runId });
    return { question: { ...question, input }, context: overrides?.context };
  }
  return undefined;
}

/** Reads people's messages in the order in which model calls carried them. A later schedule repeats entries; those count once. */
async function readMessages(client: Client, run: RunRef): Promise<SaidAgain[]> {
  let messages: SaidAgain[] = [];
  let seen = 0;
  const trace = createTrace(run.workflowId);
  for await (const fact of readLineage(client, run, false)) {
    const { of } = await trace.read(fact);
    const rewound = of?.type === 'read_scheduled' ? of.step : undefined;
    if (rewound !== undefined) {
      messages = messages.filter(({ step }) => step < rewound);
      seen = 0;
    }
    // The entries after a summary are carried by the next call.
    if (of?.type !== 'model_scheduled' || of.input === undefined || of.input.compact === true) continue;
    const { base, delta } = of.input;
    const step = Number(of.call);
    messages.push(...carriedMessages({ base, delta }, seen).map((text) => ({ step, text })));
    seen = base + delta.length;
  }
  return messages;
}

/** Entries of the transcript at the first model call. Empty: the run has made no model call. */
async function firstEntries(client: Client, run: RunRef): Promise<readonly Entry[]> {
  const next = transcriptReader(sourceOf(client));
  for await (const fact of readLineage(client, run, false)) {
    const [first] = await next(fact);
    if (first !== undefined) return first.transcript.entries;
  }
  return [];
}
