import { z } from '@hono/zod-openapi';
import { decisionNames, runStatuses } from '../../client/index.ts';
import { startFieldShape } from '../start/field-schema.ts';

/** Bodies of requests and responses. Reloop's client checks what a schema leaves open, and names the field. */

const json = z.unknown().openapi({ description: 'Any JSON value' });
const id = z.string().openapi({ description: 'Id of a run: its workflow id in Temporal' });
const errorInfo = z.looseObject({ type: z.string(), message: z.string() });
/** RFC 3339. JSON has no dates. */
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

const part = z.union([
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image'),
    image: z.string().openapi({ description: 'An https URL, a data: URL, or base64' }),
    mediaType: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal('file'),
    file: z.string().openapi({ description: 'A data: URL, or base64' }),
    mediaType: z.string().optional(),
    filename: z.string().optional(),
  }),
]);

export const runStart = z
  .strictObject({
    agent: z.string(),
    input: z.union([z.string(), z.array(part)]).openapi({ description: 'The question' }),
    id: z
      .string()
      .optional()
      .openapi({ description: 'Id of the run. An id that is there already gives that run' }),
    session: z.string().optional().openapi({ description: 'The conversation that the run continues' }),
    ...startFieldShape,
  })
  .openapi('RunStart');

export const runStarted = z.object({ id }).openapi('RunStarted');

const waitingCall = z
  .looseObject({
    call: z.string().openapi({ description: '`3.1`: the first tool call of the third step' }),
    n: z.int().openapi({ description: 'Number of the wait of this call' }),
    tool: z.string(),
    toolInput: json,
    reason: z.string(),
    error: errorInfo.optional(),
    note: json.optional(),
    until: z.number().optional(),
  })
  .openapi('WaitingCall');

export const runReport = z
  .looseObject({
    id,
    runId: z.string(),
    agent: z.string(),
    input: json,
    status: z.enum(runStatuses),
    stopReason: z.string().nullable(),
    truncated: z.enum(['length', 'content_filter']).optional(),
    output: json,
    iterations: z.int(),
    intermediateSteps: z.array(z.looseObject({ call: z.string(), observation: json })),
    usage: z.looseObject({ totalTokens: z.int(), modelCalls: z.int() }),
    waiting: z.array(waitingCall),
    error: errorInfo.nullable(),
    history: z.object({ events: z.int(), bytes: z.int() }),
  })
  .openapi('RunReport');

export const runExport = z
  .looseObject({
    version: z.int(),
    run: z.looseObject({ id }),
    events: z.array(z.looseObject({ type: z.string() })),
  })
  .openapi('RunExport');

export const runPage = z
  .object({
    runs: z.array(
      z.looseObject({
        id,
        runId: z.string(),
        agent: z.string(),
        input: z.string(),
        status: z.enum(runStatuses),
      }),
    ),
    nextPage: z.string().nullable(),
  })
  .openapi('RunPage');

/** Temporal is asked about each run of a list. */
const MOST_RUNS = 100;

const oneOrMore = <T extends z.ZodType>(schema: T, error: string) =>
  z.union([schema.transform((value) => [value]), z.array(schema)], { error });

export const runQuery = z.strictObject({
  status: oneOrMore(z.enum(runStatuses), `Write one or more of ${runStatuses.join(', ')}.`).optional(),
  agent: z.string().optional(),
  session: z.string().optional(),
  tag: oneOrMore(z.string(), 'Write one or more tags.').optional(),
  since: time.optional(),
  until: time.optional(),
  text: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(MOST_RUNS).optional(),
  page: z.string().optional(),
});

export const waitingQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(MOST_RUNS).optional(),
});
export const limitQuery = z.strictObject({ limit: z.coerce.number().int().min(1).max(500).optional() });

export const eventsQuery = z.strictObject({
  after: z.string().optional().openapi({ description: 'The id of an event. `Last-Event-ID` says the same' }),
  subAgents: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
});

const budgetAmount = z.object({
  cost: z.number().optional(),
  totalTokens: z.int().optional(),
  runs: z.int().optional(),
});
const budgetUse = z.object({ calls: z.int(), cost: z.number(), totalTokens: z.int() });

export const budgetReport = z
  .object({
    rule: z.looseObject({ name: z.string(), of: z.string(), per: z.string(), onEnd: z.string() }),
    key: z.string().openapi({ description: 'Name of the agent or tenant; empty for all' }),
    periods: z.array(
      z.object({
        from: z.number().openapi({ description: 'Milliseconds since 1970' }),
        to: z.number(),
        limit: budgetAmount,
        extensions: z.array(budgetAmount.extend({ at: z.number(), by: z.string().optional() })),
        used: budgetUse,
        reserved: budgetUse,
        unsettled: budgetUse,
        runs: z.int(),
        share: z.number(),
        warned: z.boolean(),
      }),
    ),
  })
  .openapi('Budget');

export const budgetList = z.array(budgetReport);

export const budgetExtension = z
  .strictObject({
    key: z.string().optional().openapi({ description: 'Name of the agent or tenant; left out for all' }),
    cost: z.number().optional().openapi({ description: 'US dollars' }),
    totalTokens: z.number().optional(),
    runs: z.number().optional(),
  })
  .openapi('BudgetExtension');

export const runId = z.strictObject({ id });
export const sessionName = z.strictObject({ name: z.string() });

export const decision = z
  .looseObject({
    type: z.enum(decisionNames),
    call: z.string().optional().openapi({ description: 'May be left out where only one call waits' }),
    wait: z.int().optional().openapi({ description: 'The `n` of the wait that was looked at' }),
    input: json.optional(),
    output: json.optional(),
    reason: z.string().optional(),
    remember: z.enum(['tool', 'input']).optional(),
  })
  .openapi('Decision');

export const decisionReceipt = z
  .looseObject({ call: z.string(), n: z.int(), decision: z.string() })
  .openapi('DecisionReceipt');

export const deferredResult = z.strictObject({ token: z.string(), output: json }).openapi('DeferredResult');
export const message = z.strictObject({ message: z.string() }).openapi('Message');
export const extension = z
  .strictObject({
    iterations: z.int().optional(),
    time: z
      .union([z.number(), z.string()], { error: 'Write a duration such as "10m", or milliseconds.' })
      .optional(),
    tokens: z.int().optional(),
    cost: z.number().optional(),
  })
  .openapi('Extension');
export const rewindOptions = z.strictObject({ step: z.int() }).openapi('Rewind');
export const forkOptions = z
  .strictObject({
    step: z.int(),
    say: z.string().optional(),
    edits: z.record(z.string(), json).optional(),
    id: z.string().optional(),
    model: startFieldShape.model,
    maxIterations: startFieldShape.maxIterations,
    maxExecutionTime: startFieldShape.maxExecutionTime,
  })
  .openapi('Fork');
export const retryOptions = z
  .strictObject({ call: z.string().optional(), input: json.optional() })
  .openapi('Retry');
export const restarted = z
  .looseObject({ id, runId: z.string(), step: z.int().optional() })
  .openapi('Restarted');

export const sessionReport = z
  .looseObject({
    name: z.string(),
    messages: z.array(z.looseObject({ role: z.string() })),
    runs: z.array(z.string()),
    running: z.string().nullable(),
    queued: z.array(z.string()),
    unanswered: z.array(z.string()),
  })
  .openapi('SessionReport');
export const sessionList = z.array(z.object({ name: z.string(), startedAt: z.string() }));

export const agentList = z.array(z.object({ name: z.string(), description: z.string().optional() }));
export const waitingList = z.array(z.object({ run: runReport }));

export const problem = z
  .object({ type: z.string(), title: z.string(), status: z.int(), detail: z.string(), code: z.string() })
  .openapi('Problem');
