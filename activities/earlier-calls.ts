import type { Context } from '@temporalio/activity';
import { type Origin, type ToolResult, parseActivityId } from '../agent/calls.ts';
import type { RunRef } from '../history/transcript.ts';
import type { Json } from '../agent/vocabulary.ts';
import type { EarlierCall } from '../tools/tool.ts';
import { readRun } from '../history/pages.ts';
import { decodeFirst } from '../history/payloads.ts';

/** Calls of one tool that ended before this one, over all the runs of the lineage, oldest first. */
export async function earlierCalls(context: Context, tool: string, scope: number): Promise<EarlierCall[]> {
  const run = context.info.workflowExecution;
  return run === undefined ? [] : readCalls(context, run, tool, scope);
}

async function readCalls(context: Context, run: RunRef, tool: string, scope: number): Promise<EarlierCall[]> {
  const { client } = context;
  const calls: EarlierCall[] = [];
  const scheduled = new Map<string, { call: string; toolInput: Json }>();
  for await (const event of readRun(client, run)) {
    const started = event.workflowExecutionStartedEventAttributes;
    if (started && scope === 0) {
      const { from } = ((await decodeFirst(client, started.input)) ?? {}) as { from?: Origin }; // agentRun's input
      if (typeof from?.runId === 'string') {
        const before = { workflowId: from.workflowId ?? run.workflowId, runId: from.runId };
        calls.push(...(await readCalls(context, before, tool, scope)));
      }
    }
    const schedule = event.activityTaskScheduledEventAttributes;
    const id = parseActivityId(schedule?.activityId ?? '');
    if (schedule && id?.scope === scope && schedule.activityType?.name === tool) {
      const toolInput = (await decodeFirst(client, schedule.input)) as Json;
      scheduled.set(String(event.eventId), { call: id.call, toolInput });
    }
    const completed = event.activityTaskCompletedEventAttributes;
    const call = scheduled.get(String(completed?.scheduledEventId));
    if (completed && call !== undefined) {
      const { output } = (await decodeFirst(client, completed.result)) as ToolResult; // written by run-tool
      calls.push({ ...call, output });
    }
  }
  return calls;
}
