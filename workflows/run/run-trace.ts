import { workflowInfo } from '@temporalio/workflow';
import type { AgentManifest } from '../../agent/definition/manifest.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import { type RunSpan, spanFold } from '../../agent/views/run-spans.ts';
import { attachTrace, logTrace } from '../temporal/call-header.ts';
import { idOf, ownTrace, readTraceparent, traceparent } from '../../agent/values/trace-context.ts';

/** A run's place in its trace. Ids are made of run and call ids, so that workers that never met agree on them. */
export interface RunTrace {
  /** `traceparent` of the span of a call that is made now. undefined: the trace is not sampled. */
  parentOf(call: string): string | undefined;
  /** Sends that with the activity of a schedule of the call. */
  attach(activityId: string, call: string): void;
  /** Returns the spans that end with an event. */
  spansOf(event: RunEvent): RunSpan[];
}

interface TracedRun {
  scope: number;
  /** The agent that has the conversation. */
  agent(): AgentManifest;
  session: string | undefined;
  /** Number of the first schedule of each call. A rewind raises it: the calls after it have other spans. */
  firstN(): number;
}

/** `text`: `traceparent` of the span above the run. undefined: the run has no telemetry. */
export function runTrace(
  text: string | undefined,
  { scope, agent, session, firstN }: TracedRun,
): RunTrace | undefined {
  const given = text === undefined ? undefined : readTraceparent(text);
  if (given === undefined) return undefined;
  // A continued run has the same spans; a retry of a run that is over has new ones.
  const { workflowId, firstExecutionRunId: runId, startTime } = workflowInfo();
  const trace = ownTrace(given, runId);
  logTrace(trace.traceId);
  const callId = (call: string) => idOf([runId, call, firstN()]);
  const parentOf = (call: string) =>
    trace.sampled ? traceparent({ ...trace, spanId: callId(call) }) : undefined;
  return {
    parentOf,
    attach: (id, call) => attachTrace(id, parentOf(call)),
    spansOf: spanFold({
      agent() {
        const { name, adapter, model, params, stop } = agent();
        return { name, adapter, model, params, stop, workflowId, runId, session };
      },
      trace,
      spanId: idOf([runId, scope]),
      startMs: scope === 0 ? startTime.getTime() : Date.now(),
      toolDescription: (tool) => agent().tools.find(({ name }) => name === tool)?.description,
      callId,
    }),
  };
}
