import type { Client } from '@temporalio/client';
import type { Content, MediaRef } from '../../agent/values/content.ts';
import type { RunEvent } from '../../agent/run/events.ts';
import type { Fact } from '../../history/read/fact.ts';
import { type RequestsOptions, requestReader, sentRequest } from '../../history/views/requests.ts';
import type { TimelineOptions } from '../../history/views/timeline.ts';
import { readMedia } from '../../history/views/read-media.ts';
import { RunNotFound, unless } from '../connect/errors.ts';
import { auditOf } from './audit.ts';
import { type SubAgentRun, createAgentReader } from './exported-agents.ts';
import type { RunReport } from '../report.ts';
import type {
  AuditEntry,
  ExportedModelCall,
  ExportedRequest,
  ExportedSubAgent,
  RunExport,
} from './run-export.ts';

export interface ExportOptions extends Pick<RequestsOptions, 'kinds'> {
  /** Include every exact request. Default false: they grow with the square of a run's steps. */
  prompts?: boolean | undefined;
  /** Include the images and files of the question, in base64 (`data` of each). Default false. */
  images?: boolean | undefined;
}

/** Called with all that is read of a run. */
export interface ReadHooks extends Pick<TimelineOptions, 'onFact'> {
  onEvent?: ((event: RunEvent) => void) | undefined;
}

/** Readers of the runs that are exported. */
interface RunReaders {
  /** Reads the run's history once. */
  describe(hooks: ReadHooks): Promise<RunReport>;
  /** A sub-agent's run, exported likewise. Throws RunNotFound. */
  subAgent(id: string): Promise<RunExport>;
}

/** A run as one value. A run under way is exported as far as it has come. */
export async function collectExport(
  client: Client,
  { prompts = false, images = false, kinds }: ExportOptions,
  { describe, subAgent }: RunReaders,
): Promise<RunExport> {
  const [events, facts, audit]: [RunEvent[], Fact[], AuditEntry[]] = [[], [], []];
  const recorded = createAgentReader();
  const run = await describe({
    onEvent: (event) => events.push(event),
    async onFact(fact, of) {
      facts.push(fact);
      recorded.next(fact, of);
      audit.push(...(await auditOf(fact, of)));
    },
  });
  const place = { workflowId: run.id, runId: run.runId };
  if (images) run.input = await withData(run.input, (ref) => readMedia(client, place, ref));
  const modelCalls = events.flatMap((event) => (event.type === 'model_ended' ? [typeless(event)] : []));
  return {
    reloop: 'run',
    version: 1,
    run,
    agents: recorded.agents(),
    modelCalls,
    decisions: events.flatMap((event) => (event.type === 'decided' ? [typeless(event)] : [])),
    audit,
    events,
    subAgents: await exportSubAgents(subAgent, recorded.subAgents(run.id)),
    requests: prompts ? await collectRequests(client, facts, { kinds, modelCalls }) : undefined,
  };
}

async function withData(
  input: Content,
  read: (ref: MediaRef) => Promise<Uint8Array | undefined>,
): Promise<Content> {
  if (typeof input === 'string') return input;
  return Promise.all(
    input.map(async (part) => {
      const bytes = part.type === 'text' || part.ref === undefined ? undefined : await read(part.ref);
      return part.type === 'text' || bytes === undefined
        ? part
        : { ...part, data: Buffer.from(bytes).toString('base64') };
    }),
  );
}

async function exportSubAgents(
  read: RunReaders['subAgent'],
  runs: SubAgentRun[],
): Promise<ExportedSubAgent[]> {
  const exported: ExportedSubAgent[] = [];
  for (const run of runs)
    exported.push({ ...run, export: (await unless(RunNotFound, read(run.id))) ?? null });
  return exported;
}

async function collectRequests(
  client: Client,
  facts: readonly Fact[],
  { kinds, modelCalls }: Pick<ExportOptions, 'kinds'> & { modelCalls: ExportedModelCall[] },
): Promise<ExportedRequest[]> {
  const requestsOf = requestReader(client, kinds);
  const turns = new Map(modelCalls.map(({ call, turn }) => [call, turn]));
  const requests: ExportedRequest[] = [];
  for (const fact of facts) {
    for (const asked of await requestsOf(fact)) {
      const { call, n } = asked;
      requests.push({ call, n, ...sentRequest(asked, turns.get(call)) });
    }
  }
  return requests;
}

function typeless<E extends RunEvent>({ type: _, ...fields }: E): Omit<E, 'type'> {
  return fields;
}
