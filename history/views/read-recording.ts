import type { Client } from '@temporalio/client';
import type { RecordedQuestion, SaidAgain } from '../../agent/backtest/backtest-calls.ts';
import { type RunOutline, addToOutline, emptyOutline } from '../../agent/backtest/outline.ts';
import { type Recording, addToRecording, emptyRecording } from '../../agent/backtest/recording.ts';
import { qualifyImageRefs } from '../../agent/start/image-refs.ts';
import { parseActivityId } from '../../agent/calls/calls.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import type { Entry } from '../../agent/transcript/entries.ts';
import { readLineage } from '../read/lineage.ts';
import type { RunRef } from '../read/pages.ts';
import { asCallModelInput, asRunInput } from '../read/records.ts';
import { rewindStep } from '../read/scheduled-call.ts';
import { sourceOf } from './requests.ts';
import { createTrace } from '../trace/trace.ts';
import { readTranscripts } from './transcript.ts';

/** What a run was asked, and told later. Throws InvalidInput for a workflow that is no agent's run. */
export async function readQuestion(client: Client, run: RunRef): Promise<RecordedQuestion> {
  const said = await readSaid(client, run);
  return { question: await questionOf(client, run), said: said.length === 0 ? undefined : said };
}

async function questionOf(client: Client, run: RunRef): Promise<RecordedQuestion['question']> {
  const asked = await questionAtStart(client, run);
  if (asked !== undefined) return asked;
  const entry = (await firstEntries(client, run)).find((one) => one.type === 'question');
  if (entry?.type !== 'question') {
    throw new InvalidInput(`"${run.workflowId}" has no question: it is no run of an agent.`);
  }
  const { type: _, ...question } = entry;
  return question;
}

/** A run as calls of another one are answered from it. */
export async function readRecording(client: Client, run: RunRef): Promise<Recording> {
  const recording = emptyRecording();
  const agent = (await firstEntries(client, run)).find((entry) => entry.type === 'agent');
  for await (const event of recordedEvents(client, run)) addToRecording(recording, event, agent?.manifest);
  return recording;
}

/** A run as it is compared with another one. */
export async function readOutline(client: Client, run: RunRef): Promise<RunOutline> {
  const outline = emptyOutline();
  for await (const event of recordedEvents(client, run)) addToOutline(outline, event);
  return outline;
}

async function* recordedEvents(client: Client, run: RunRef): AsyncGenerator<RunEvent> {
  const trace = createTrace(run.workflowId);
  for await (const fact of readLineage(client, run, false)) yield* await trace.next(fact);
}

/** A run that goes on from another one has no question of its own. */
async function questionAtStart(
  client: Client,
  run: RunRef,
): Promise<RecordedQuestion['question'] | undefined> {
  for await (const fact of readLineage(client, run, false)) {
    if (fact.type !== 'started') return undefined;
    const { workflowId, runId } = fact;
    const question = asRunInput(await fact.input())?.question;
    return question && { ...question, input: qualifyImageRefs(question.input, { workflowId, runId }) };
  }
  return undefined;
}

/** What model calls carried of people's messages; one that was scheduled again carried the same again. */
async function readSaid(client: Client, run: RunRef): Promise<SaidAgain[]> {
  let said: SaidAgain[] = [];
  let seen = 0;
  for await (const fact of readLineage(client, run, false)) {
    const rewound = await rewindStep(fact);
    if (rewound !== undefined) {
      said = said.filter(({ step }) => step < rewound);
      seen = 0;
    }
    if (fact.type !== 'scheduled' || fact.name !== 'callModel') continue;
    const { base, delta } = asCallModelInput(await fact.input()) ?? { base: seen, delta: [] };
    const step = Number(parseActivityId(fact.workId)?.call ?? 0);
    for (const entry of delta.slice(Math.max(0, seen - base))) {
      if (entry.type === 'message' && entry.role === undefined) said.push({ step, text: entry.text });
    }
    seen = base + delta.length;
  }
  return said;
}

/** As the first model call was shown them; none of a run that made no call. */
async function firstEntries(client: Client, run: RunRef): Promise<readonly Entry[]> {
  const facts = readLineage(client, run, false);
  for await (const { transcript } of readTranscripts(sourceOf(client), facts)) {
    return transcript.entries;
  }
  return [];
}
