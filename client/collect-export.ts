import type { Content, ImageRef } from '../agent/content.ts';
import type { RunEvent } from '../agent/events.ts';
import { requestDigest } from '../agent/transcript/request.ts';
import type { Fact } from '../history/fact.ts';
import type { AskedRequest } from '../history/requests.ts';
import { RunNotFound } from './errors.ts';
import { type SubAgentRun, readAgents } from './exported-agents.ts';
import type { RunReport } from './report.ts';
import type { ExportedModelCall, ExportedRequest, ExportedSubAgent, RunExport } from './run-export.ts';

/** Where an export is collected from. */
export interface ExportSource {
  id: string;
  describe(onEvent: (event: RunEvent) => void): Promise<RunReport>;
  facts(): AsyncIterable<Fact>;
  /** undefined: without the requests. */
  requests: (() => AsyncIterable<AskedRequest>) | undefined;
  /** undefined: without what images show. */
  image: ((ref: ImageRef) => Promise<Uint8Array | undefined>) | undefined;
  /** A sub-agent's run, exported likewise. Throws RunNotFound. */
  subAgent(id: string): Promise<RunExport>;
}

/** A run as one value. One that goes on is exported as far as it has come. */
export async function collectExport(source: ExportSource): Promise<RunExport> {
  const events: RunEvent[] = [];
  const run = await source.describe((event) => events.push(event));
  run.input = await withData(run.input, source.image);
  const { agents, subAgents } = await readAgents(source.id, source.facts());
  const modelCalls = events.flatMap((event) => (event.type === 'model_ended' ? [typeless(event)] : []));
  return {
    reloop: 'run',
    version: 1,
    run,
    agents,
    modelCalls,
    decisions: events.flatMap((event) => (event.type === 'decided' ? [typeless(event)] : [])),
    events,
    subAgents: await exportSubAgents(source, subAgents),
    requests: source.requests && (await collectRequests(source.requests(), modelCalls)),
  };
}

async function withData(input: Content, read: ExportSource['image']): Promise<Content> {
  if (typeof input === 'string' || read === undefined) return input;
  return Promise.all(
    input.map(async (part) => {
      const image = part.type === 'image' && part.ref !== undefined ? await read(part.ref) : undefined;
      return image === undefined ? part : { ...part, data: Buffer.from(image).toString('base64') };
    }),
  );
}

async function exportSubAgents(source: ExportSource, runs: SubAgentRun[]): Promise<ExportedSubAgent[]> {
  const exported: ExportedSubAgent[] = [];
  for (const run of runs) exported.push({ ...run, export: await orNull(source.subAgent(run.id)) });
  return exported;
}

async function orNull(collected: Promise<RunExport>): Promise<RunExport | null> {
  try {
    return await collected;
  } catch (error) {
    if (error instanceof RunNotFound) return null;
    throw error;
  }
}

async function collectRequests(
  asked: AsyncIterable<AskedRequest>,
  modelCalls: ExportedModelCall[],
): Promise<ExportedRequest[]> {
  const turns = new Map(modelCalls.map(({ call, turn }) => [call, turn]));
  const requests: ExportedRequest[] = [];
  for await (const { call, n, request, shortened } of asked) {
    const turn = turns.get(call);
    const sent = turn?.shortened === true ? shortened() : request;
    requests.push({
      call,
      n,
      request: sent,
      exact: turn === undefined || turn.request === requestDigest(sent),
    });
  }
  return requests;
}

function typeless<E extends RunEvent>({ type: _, ...fields }: E): Omit<E, 'type'> {
  return fields;
}
