import { createHash } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { AgentClient, type AgentRun, type RunExport } from '../../../../client/index.ts';
import { isNoWorkflow } from '../../../../history/read/pages.ts';
import { readEndedCalls } from '../../../../history/views/earlier-calls.ts';
import { readEffects } from '../../../../history/views/effects.ts';
import { recordedRun } from '../../../../features/testing/index.ts';
import { AGENT_RUN } from '../../../../workflows/messages.ts';
import { recordedAgents } from '../../../support/recorded-agents.ts';
import { recordedHistories } from '../../../support/recorded-histories.ts';
import { recordedServer } from '../../../support/recorded-server.ts';
import { inTextFormat } from '../../../support/scripts.ts';

/**
 * Readers make more of a recorded history than its events and report (golden.test.ts): the input of each restart, the effects of dropped
 * steps, ended calls, the export, and how the agent of today differs. `npx vitest run --project unit test/unit/history/views/golden-records.test.ts -u`
 * accepts what is read now.
 */
const recorded = recordedHistories();
const { client: temporal, started } = recordedServer(recorded);
const client = new AgentClient(temporal, 'nowhere', 'recorded');
const config = inTextFormat({ agents: recordedAgents });
const runs = recorded.filter(
  ({ history }) =>
    history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name === AGENT_RUN,
);

describe('what is made of a recorded history is as it was', () => {
  test.each(runs)('$name', async ({ name, run }) => {
    const exported = await client.get(run.workflowId, run.runId).export({ prompts: true });
    const { agents, audit, subAgents, requests } = exported;
    const lines = [
      { agents },
      { audit },
      {
        subAgents: subAgents.map(({ call, n, id, export: below }) => ({
          call,
          n,
          id,
          isThere: below !== null,
        })),
      },
      { requests: requests?.map(({ call, n, ...request }) => ({ call, n, request: digestOf(request) })) },
      { effects: await readEffects(temporal, run, { step: 0, again: undefined }, async () => undefined) },
      ...(await endedCalls(exported, run)),
      ...(await restarts(client.get(run.workflowId), exported)),
      await differences(exported),
    ];
    const text = lines.map((line) => JSON.stringify(line, shortened)).join('\n');
    await expect(`${text}\n`).toMatchFileSnapshot(`../../../fixtures/golden-records/${name}.jsonl`);
  });
});

type Run = (typeof recorded)[number]['run'];

async function endedCalls({ agents, events }: RunExport, run: Run): Promise<object[]> {
  const tools = new Set(events.flatMap((event) => (event.type === 'action' ? [event.action.tool] : [])));
  const lines: object[] = [];
  for (const { scope } of agents)
    for (const tool of tools) {
      const ended = await readEndedCalls(temporal, run, { tool, scope }, () => undefined).catch(isNoWorkflow);
      if (ended === true) lines.push({ tool, scope, ended: 'past the retention' });
      if (typeof ended === 'boolean' || ended.calls.length + ended.deferred.size + ended.early.size === 0)
        continue;
      const { calls, deferred, early } = ended;
      lines.push({ tool, scope, ended: calls, deferred: [...deferred], early: [...early] });
    }
  return lines;
}

/** The input of the run that each restart starts, or the reason why there is none. */
async function restarts(run: AgentRun, { events }: RunExport): Promise<object[]> {
  const asked = events.flatMap((event) => (event.type === 'model_ended' ? [Number(event.call)] : []));
  const steps = [...new Set(asked)].filter(Number.isInteger);
  const ways: { [name: string]: () => Promise<unknown> } = { retry: () => run.retry() };
  // A long run is restarted at some of its steps only: each restart reads the whole history.
  for (const step of steps.filter(
    (_, index) => index < 5 || index % 30 === 0 || index === steps.length - 1,
  )) {
    ways[`rewind ${step}`] = () => run.rewind({ step });
    ways[`fork ${step}`] = () => run.fork({ step, id: 'forked', say: 'Go another way.' });
  }
  const lines: object[] = [];
  for (const [restart, begin] of Object.entries(ways)) {
    const before = started.length;
    const refused = await begin().then(
      () => undefined,
      (error: unknown) => String(error),
    );
    const [request] = started.slice(before);
    lines.push({ restart, ...(refused === undefined ? { input: inputOf(request) } : { refused }) });
  }
  return lines;
}

/** Everything but the trace id of a fork, which is made by chance. */
function inputOf(request: (typeof started)[number] | undefined): unknown {
  const [payload] = request?.input?.payloads ?? [];
  return defaultPayloadConverter.fromPayload(payload ?? {});
}

async function differences(exported: RunExport): Promise<object> {
  try {
    return { today: await recordedRun(exported, { config, onDifference: 'return' }) };
  } catch (error) {
    return { today: String(error) };
  }
}

/** Agents are long, and each stands in full in the fixture of its history. */
function shortened(key: string, value: unknown): unknown {
  return key === 'manifest' && value !== null ? digestOf(value) : value;
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
