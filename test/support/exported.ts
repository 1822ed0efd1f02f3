import type { RunEvent } from '../../agent/run/events.ts';
import { reportFrom } from './report.ts';
import type { ExportedRequest, RunExport } from '../../client/export/run-export.ts';
import { sampleManifest } from './manifest.ts';
import { modelRequest } from './model-calls.ts';

/** A run of these events as it is exported. */
export function exportOf(events: RunEvent[], more: Partial<RunExport> = {}): RunExport {
  const run = reportFrom('run-1', 'r', events);
  return {
    reloop: 'run',
    version: 1,
    run,
    agents: [
      {
        scope: 0,
        manifest: sampleManifest(),
        question: { input: run.input, chatHistory: [], variables: {} },
      },
    ],
    modelCalls: events.flatMap((event) => (event.type === 'model_ended' ? [typeless(event)] : [])),
    decisions: events.flatMap((event) => (event.type === 'decided' ? [typeless(event)] : [])),
    events,
    subAgents: [],
    ...more,
  };
}

/** The request of step `call`, a text. */
export function askedWith(call: string, text: string, exact = true): ExportedRequest {
  return { call, n: 0, exact, request: modelRequest({}, { prompt: { type: 'text', text } }) };
}

function typeless<E extends RunEvent>({ type: _, ...fields }: E): Omit<E, 'type'> {
  return fields;
}
