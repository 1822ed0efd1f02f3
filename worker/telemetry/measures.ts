import type { Attributes, Meter } from '@opentelemetry/api';
import { type Price, type Tokens, usageOf } from '../../agent/definition/price.ts';
import type { RunSpan, SpanMark } from '../../agent/views/run-spans.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { WAITING_RUNS } from '../../agent/values/names.ts';
import type { WaitingReason } from '../../agent/rules/wait-reasons.ts';
import type { BudgetShare } from '../../activities/limits/budget-keeper.ts';
import type { LimitWait } from '../../activities/limits/model-limiter.ts';
import type { TelemetryServer } from './telemetry.ts';

/** Buckets that the semantic conventions name. */
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
/** A wait for a person: from seconds to a week. */
const WAIT_SECONDS = [1, 10, 60, 300, 900, 3600, 14400, 43200, 86400, 259200, 604800];

/** Operation, provider and model of a request. */
export interface RequestAbout {
  operation: string;
  provider: string;
  model: string;
}

type RequestEnd = { usage: Tokens | undefined; price: Price | undefined } | { error: string };

/** Writes a worker's metrics. */
export interface Measures {
  /** A request to a model is over, after `seconds`. */
  request(about: RequestAbout, seconds: number, end: RequestEnd): void;
  /** The first piece of a streamed reply has come, after `seconds`. */
  firstChunk(about: RequestAbout, seconds: number): void;
  /** A further piece has come, `seconds` after the one before it. */
  laterChunk(about: RequestAbout, seconds: number): void;
  /** An outage of a model starts for this worker, or is over. */
  outage(about: Pick<RequestAbout, 'provider' | 'model'>, isOpen: boolean): void;
  /** An attempt of an activity starts. */
  attempt(info: { attempt: number; activityType: string; heartbeatDetails?: unknown }): void;
  /** A call starts to wait. */
  waits(wait: { agent: string; reason: WaitingReason }): void;
  /** A model call has waited for the model's limits. */
  limitWaited(wait: LimitWait): void;
  /** An account of a budget has counted a request. */
  budgetCounted(share: BudgetShare): void;
  /** A run or a call is over. */
  ended(span: RunSpan): void;
}

export function createMeasures(meter: Meter, server: TelemetryServer): Measures {
  const histogram = (name: string, unit: string, description: string, explicitBucketBoundaries: number[]) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } });
  const tokens = histogram(
    'gen_ai.client.token.usage',
    '{token}',
    'Tokens of each request to a model',
    TOKENS,
  );
  const duration = histogram(
    'gen_ai.client.operation.duration',
    's',
    'Duration of each request to a model',
    SECONDS,
  );
  const firstChunk = histogram(
    'gen_ai.client.operation.time_to_first_chunk',
    's',
    'Time to the first piece of each streamed reply',
    SECONDS,
  );
  const laterChunk = histogram(
    'gen_ai.client.operation.time_per_output_chunk',
    's',
    'Time between two pieces of each streamed reply',
    SECONDS,
  );
  const cost = meter.createCounter('reloop.cost', {
    description: 'Cost of the requests whose price the config has',
    unit: '{USD}',
  });
  const retries = meter.createCounter('reloop.retries', {
    description: 'Attempts after the first one of an activity',
  });
  const waits = meter.createCounter('reloop.waits', { description: 'Waits that started, by reason' });
  const waitTime = histogram(
    'reloop.wait.duration',
    's',
    'Duration of waits, of calls that are over',
    WAIT_SECONDS,
  );
  const limitWait = histogram(
    'reloop.model_limit.wait',
    's',
    "Duration of waits for a model's limits, of each request",
    SECONDS,
  );
  const doubts = meter.createCounter('reloop.doubts', {
    description: 'Calls whose effect was in doubt, of calls that are over',
  });
  const outages = meter.createUpDownCounter('reloop.model.outages', {
    description: 'Models that this worker asks only once in a while, because of an outage',
  });
  const runs = meter.createCounter('reloop.runs.ended', { description: 'Runs that are over, by status' });
  // Prometheus sees no increase in a counter that starts with its first event.
  doubts.add(0);
  observeWaiting(meter, server);

  const shares = new Map<string, BudgetShare>();
  observeBudgets(meter, shares);

  return {
    firstChunk: (request, seconds) => firstChunk.record(seconds, aboutOf(request)),
    laterChunk: (request, seconds) => laterChunk.record(seconds, aboutOf(request)),
    request(request, seconds, end) {
      const about = aboutOf(request);
      if ('error' in end) {
        duration.record(seconds, { ...about, 'error.type': end.error });
        return;
      }
      duration.record(seconds, about);
      const usage = usageOf(end.usage, 1, end.price);
      // Tokens that the provider has not counted are unknown, not 0.
      if (usage.uncountedCalls !== undefined) return;
      tokens.record(usage.promptTokens, { ...about, 'gen_ai.token.type': 'input' });
      tokens.record(usage.completionTokens, { ...about, 'gen_ai.token.type': 'output' });
      if (usage.cost !== undefined) cost.add(usage.cost, about);
    },
    outage({ provider, model }, isOpen) {
      outages.add(isOpen ? 1 : -1, { 'gen_ai.provider.name': provider, 'gen_ai.request.model': model });
    },
    attempt({ attempt, activityType, heartbeatDetails }) {
      // An attempt that comes back from a wait for the model's limits is not a retry.
      const comesBack = fieldOf(heartbeatDetails, 'waitsSince') !== undefined;
      if (attempt > 1 && !comesBack) retries.add(1, { 'reloop.activity': activityType });
    },
    waits({ agent, reason }) {
      waits.add(1, { 'gen_ai.agent.name': agent, 'reloop.wait.reason': reason });
    },
    limitWaited({ agent, model, ms }) {
      limitWait.record(ms / 1000, { 'gen_ai.agent.name': agent, 'gen_ai.request.model': model });
    },
    budgetCounted(share) {
      shares.set(`${share.name}/${share.key}`, share);
    },
    ended(span) {
      const agent = { 'gen_ai.agent.name': span.name };
      for (const { reason, ms } of waitsOf(span.marks)) {
        waitTime.record(ms / 1000, { ...agent, 'reloop.wait.reason': reason });
      }
      const inDoubt = span.marks.filter(({ detail }) => detail === 'InDoubt').length;
      if (inDoubt > 0) doubts.add(inDoubt);
      if (span.type === 'run') runs.add(1, { ...agent, 'reloop.run.status': span.status });
    },
  };
}

function aboutOf({ operation, provider, model }: RequestAbout): Attributes {
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
  };
}

/** The waits of a call that have an end. */
function waitsOf(marks: readonly SpanMark[]): { reason: string; ms: number }[] {
  const ended: { reason: string; ms: number }[] = [];
  let open: SpanMark | undefined;
  for (const mark of marks) {
    if (open !== undefined) ended.push({ reason: open.detail ?? '', ms: mark.at - open.at });
    open = mark.name === 'waiting' ? mark : undefined;
  }
  return ended;
}

/** Shares as this worker was last told. That of a day or month that is over is forgotten. */
function observeBudgets(meter: Meter, shares: Map<string, BudgetShare>): void {
  const gauge = meter.createObservableGauge('reloop.budget.used_ratio', {
    description:
      'Share of a budget that its account has used, as the worker last heard of it; 1 is all of it',
  });
  gauge.addCallback((result) => {
    for (const [id, { name, key, share, until }] of shares) {
      if (until <= Date.now()) shares.delete(id);
      else result.observe(share, { 'reloop.budget.name': name, 'reloop.budget.key': key });
    }
  });
}

/** Runs that wait now, as the server counts them: each worker reports the same number, whichever workers have died. */
function observeWaiting(meter: Meter, { connection, namespace, searchAttributes }: TelemetryServer): void {
  if (connection === undefined || !searchAttributes) return;
  const gauge = meter.createObservableGauge('reloop.runs.waiting', {
    description: 'Open runs that wait for a person: the same number from each worker',
  });
  gauge.addCallback(async (result) => {
    const { count } = await connection.workflowService.countWorkflowExecutions({
      namespace,
      query: WAITING_RUNS,
    });
    result.observe(Number(count));
  });
}
