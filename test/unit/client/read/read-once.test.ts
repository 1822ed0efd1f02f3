import type { temporal } from '@temporalio/proto';
import { expect, test } from 'vitest';
import { requestDigest } from '../../../../agent/transcript/request.ts';
import { findStep } from '../../../../cli/commands/show.ts';
import { follow } from '../../../../cli/follow/follow.ts';
import { AgentRun } from '../../../../client/api/agent-run.ts';
import { allOf } from '../../../support/all-of.ts';
import { fakeIo } from '../../../support/fake-io.ts';
import { offlineContext } from '../../../support/offline-context.ts';
import { clientOf, recordedHistories } from '../../../support/recorded-histories.ts';

type Request = temporal.api.workflowservice.v1.IGetWorkflowExecutionHistoryRequest;

const recorded = recordedHistories();

/** A recorded run that has ended. `reads`: how often its record was requested; requests for its start alone do not count. */
function recordedRun(name: string) {
  const one = recorded.find((history) => history.name === name);
  if (one === undefined) throw new Error(`There is no recorded history ${name}.`);
  const { runId, workflowId } = one.run;
  const status = { name: 'COMPLETED' };
  const historyLength = one.history.events?.length ?? 0;
  const described = { runId, type: 'agentRun', status, taskQueue: 'q', historyLength, raw: {} };
  const workflow = { getHandle: () => ({ describe: () => Promise.resolve(described) }) };
  const client = Object.assign(clientOf(recorded), { workflow });
  const service = client.workflowService;
  const ask = service.getWorkflowExecutionHistory.bind(service);
  const counted = { run: new AgentRun(client, workflowId), reads: 0 };
  service.getWorkflowExecutionHistory = ((request: Request) => {
    if (request.maximumPageSize !== 1) counted.reads++;
    return ask(request);
  }) as typeof ask;
  return counted;
}

const watch = (run: AgentRun, verbose?: { kinds: undefined }) =>
  follow(fakeIo(), offlineContext(), run, { untilWaiting: false, onInterrupt: 'leave', flags: [], verbose });

test.each<[what: string, read: (run: AgentRun) => Promise<unknown>]>([
  ['events()', (run) => allOf(run.events())],
  ['requests()', (run) => allOf(run.requests())],
  ['describe()', (run) => run.describe()],
  ['result() with onWaiting', (run) => run.result({ onWaiting: () => undefined })],
  ['export() with prompts', (run) => run.export({ prompts: true })],
  ['reloop watch', (run) => watch(run)],
  ['reloop watch --verbose', (run) => watch(run, { kinds: undefined })],
  ['reloop show --prompt', (run) => findStep(run, '1', undefined)],
])('%s reads the history once', async (_what, read) => {
  const counted = recordedRun('said');
  await read(counted.run);
  expect(counted.reads).toBe(1);
});

test('reloop show --prompt has the last request and reply of a step that rewinds did again', async () => {
  const { run } = recordedRun('rewound-live');
  const { request, turn } = await findStep(run, '3', undefined);
  const sent = (await allOf(run.events())).flatMap((event) =>
    event.type === 'model_ended' && event.call === '3' ? [event.turn.request] : [],
  );
  expect(new Set(sent).size).toBe(2);
  expect([turn?.request, requestDigest(request)]).toEqual([sent.at(-1), sent.at(-1)]);
});
