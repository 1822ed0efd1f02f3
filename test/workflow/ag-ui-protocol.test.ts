import { HttpAgent, type Message } from '@ag-ui/client';
import { beforeEach, expect, test, vi } from 'vitest';
import { aguiFetch } from '../support/agui-fetch.ts';
import { type Who, useFrontRig } from '../support/front-rig.ts';

const front = useFrontRig();
const { rig, gate } = front;

function agentOf(agent: string, who: Who = 'root', threadId?: string): HttpAgent {
  const url = `${front.url}/ag-ui/${agent}`;
  return new HttpAgent({
    url,
    fetch: aguiFetch,
    headers: front.headersOf(who),
    ...(threadId !== undefined && { threadId }),
  });
}

/** The client reports each error. */
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));

let questions = 0;

function ask(agent: HttpAgent, content: string) {
  agent.addMessage({ id: `q${questions++}`, role: 'user', content });
  return agent.runAgent();
}

const shown = ({ messages }: { messages: Message[] }) => messages.map(({ role, content }) => [role, content]);

function answer(agent: HttpAgent, payload: object) {
  const resume = agent.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status: 'resolved' as const,
    payload,
  }));
  return agent.runAgent({ resume });
}

test('a question is a run, and the thread is a session that keeps the conversation', async () => {
  const agent = agentOf('echo', 'ann', 'thread');
  await ask(agent, 'I am Ann.');
  const { result } = await ask(agent, 'Who?');
  expect(result).toMatch(/I am Ann\..*Who\?/u);
  expect(shown(agent).map(([role]) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect((await rig.client.session('front-acme.thread').describe()).runs).toHaveLength(2);
  const before = shown(agent);
  await agent.runAgent();
  expect(shown(agent)).toEqual(before);
});

test.each([
  [{ approved: true }, 'did x'],
  [{ approved: true, editedArgs: { __arg1: 'y' } }, 'did y'],
  [{ approved: false, reason: 'too dear' }, expect.stringContaining('too dear')],
])(
  'a call waits for approval as an interrupt, and the answer %j continues the run',
  async (payload, result) => {
    const agent = agentOf('careful');
    await ask(agent, 'Do it.');
    expect(agent.pendingInterrupts).toMatchObject([{ reason: 'approval', metadata: { tool: 'guarded' } }]);
    await answer(agent, payload);
    expect(shown(agent).slice(1)).toEqual([
      ['assistant', 'One moment.'],
      ['tool', result],
      ['assistant', 'done'],
    ]);
  },
);

test('an answer needs the scope, and a run of the tenant', async () => {
  const agent = agentOf('careful', 'ann');
  await ask(agent, 'Do it.');
  for (const [who, code] of [
    ['otto', 'RunNotFound'],
    ['rita', 'Forbidden'],
  ] as const) {
    agent.headers = front.headersOf(who);
    await expect(answer(agent, { approved: true })).rejects.toThrow(code);
  }
});

test('a failed call is an interrupt that takes a decision', async () => {
  const agent = agentOf('printer');
  await ask(agent, 'Print.');
  expect(agent.pendingInterrupts).toMatchObject([{ message: 'fragile (1.1) failed: no ink' }]);
  await expect(answer(agent, {})).rejects.toThrow('the payload for 1.1 is a decision');
  front.repair();
  await answer(agent, { type: 'retry' });
  expect(shown(agent).at(-1)).toEqual(['assistant', 'done']);
});

test('a stream that is lost in the middle of a text is continued at another gateway, and no text is doubled', async () => {
  const agent = agentOf('slow');
  const lost = ask(agent, 'x').then(
    () => 'ended',
    () => 'broke',
  );
  await expect.poll(() => shown(agent)[1], { timeout: 10_000 }).toEqual(['assistant', 'The first half, ']);
  front.cut();
  await expect(lost).resolves.toBe('broke');
  const resumed = agent.runAgent();
  await gate.open();
  await resumed;
  expect(shown(agent)).toEqual([
    ['user', 'x'],
    ['assistant', 'The first half, and the second.'],
  ]);
});

test.each([
  ['an agent that is not served', 'no', {}, 'AgentNotFound'],
  [
    'a tool of the page',
    'echo',
    { tools: [{ name: 'a', description: 'b', parameters: {} }] },
    'has its own tools',
  ],
])('%s is refused', async (_what, name, more, text) => {
  const agent = agentOf(name);
  agent.addMessage({ id: 'q', role: 'user', content: 'x' });
  await expect(agent.runAgent(more)).rejects.toThrow(text);
});
