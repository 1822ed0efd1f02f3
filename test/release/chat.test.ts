import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { cli } from '../../cli/cli.ts';
import config from '../fixtures/configs/chat.config.ts';
import { allOf } from '../support/all-of.ts';
import { root } from '../support/cli.ts';
import { fakeIo } from '../support/fake-io.ts';
import { useRig } from '../support/rig.ts';
import { type Typist, onTerminal } from '../support/typing.ts';
import { tempFolder } from '../support/temp-folder.ts';

const flags = ['--config', 'test/fixtures/configs/chat.config.ts'];
const state = tempFolder();
/** The terminal no longer marks what is pasted: as it was before. */
const PASTE_OFF = '\u{1b}[?2004l';
let sessions = 0;

const rig = useRig(config);

function environment() {
  return {
    TEMPORAL_ADDRESS: inject('temporalAddress'),
    TEMPORAL_TASK_QUEUE: rig.taskQueue,
    RELOOP_STATE_DIR: state,
  };
}

const newSession = () => `chat-${process.pid}-${Date.now()}-${++sessions}`;

describe('reloop chat at a terminal', () => {
  let chat: Typist;
  let session = '';

  beforeEach(async () => {
    session = newSession();
    const command = [process.execPath, join(root, 'dist/cli/main.js'), 'chat', 'friend', ...flags];
    chat = onTerminal([...command, '--session', session], { env: environment() });
    await chat.sees('Ctrl-D ends');
  });
  afterEach(() => chat.close());

  test('keeps one conversation, folds each step to a line, and says how to come back', async () => {
    chat.type('weather in Lisbon\r');
    await chat.sees('1.1 weather {"text":"in Lisbon"} → 晴れ, 21 degrees');
    await chat.sees('2 steps');
    chat.type('count\r');
    await chat.sees('4 messages');
    await chat.sees('1 step');
    chat.type('/show\r');
    await chat.sees('Question: count');
    await chat.sees('completed');
    chat.type('\u{4}');
    await chat.sees(`Come back: reloop chat friend --session ${session}`);
    expect(await chat.exit).toBe(0);
  });

  test('asks about a call that waits, and offers what fits', async () => {
    chat.type('pay 5\r');
    await chat.sees('pay (1.1) needs your approval');
    await chat.sees('reject [WHY]');
    chat.type('retry\r');
    await chat.sees('"retry" does not fit. Type approve, reject, resolve or abort.');
    chat.type('reject too much\r');
    await chat.sees('was not run: too much');
    await chat.sees('2 steps');
    chat.type('broken\r');
    await chat.sees('broken (1.1) failed: out of order');
    chat.type('res mended\r');
    await chat.sees('→ mended');
    await chat.sees('2 steps');
    chat.type('ask_human who?\r');
    await chat.sees('What you type is the answer');
    chat.type('skip it is a fine name\r');
    await chat.sees('→ skip it is a fine name');
    await chat.sees('2 steps');
    expect(chat.screen()).toContain('/skip [WHY]');
  });

  test('asks at Ctrl-C what becomes of the run: it goes on, is cancelled, or is left and comes first again', async () => {
    chat.type('sleeper\r');
    await chat.sees('sleeper {"text":""} …');
    chat.type('\u{3}');
    await chat.sees('[d/c/S]');
    chat.type('\r/say hurry\r');
    await chat.sees('The agent sees it at its next step.');
    chat.type('count\r');
    await chat.sees('It is asked next.');
    chat.type('\u{3}');
    await chat.sees('[d/c/S]');
    chat.type('c\r');
    await chat.sees('Cancelling the run');
    await chat.sees(' messages');
    await chat.sees('1 step');
    chat.type('sleeper\r');
    await chat.sees('sleeper {"text":""} …');
    chat.type('\u{3}\u{3}');
    await chat.sees(' continues');
    chat.type('count\r');
    await chat.sees('of this session is under way: following it.');
    chat.type('\u{4}');
    await chat.sees(PASTE_OFF);
    await chat.sees('reloop watch friend-');
    expect(await chat.exit).toBe(0);
  });

  test('takes a text of several lines, and brings it back from the history of earlier chats', async () => {
    chat.type('one \\\rtwo\r');
    await chat.sees('You said: one \r\ntwo');
    await chat.sees('1 step');
    chat.type('\u{1b}[200~three\rfour\u{1b}[201~\r');
    await chat.sees('You said: three\r\nfour');
    await chat.sees('1 step');
    chat.type('half a line\u{3}');
    await chat.sees('^C');
    chat.type('\u{1b}[A\r');
    await chat.sees('You said: three\r\nfour');
    expect(chat.screen()).not.toContain('You said: half');
    const kept = readFileSync(join(state, 'chat-history.jsonl'), 'utf8').trim().split('\n');
    expect(kept.map((line): unknown => JSON.parse(line)).slice(-3)).toEqual([
      'one \ntwo',
      'three\nfour',
      'three\nfour',
    ]);
  });
});

describe('reloop chat with questions from a pipe', () => {
  afterEach(() => vi.unstubAllEnvs());

  async function piped(typed: string, ...words: string[]) {
    for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value);
    const io = fakeIo({ typed });
    io.env['TEMPORAL_TASK_QUEUE'] = rig.taskQueue;
    const code = await cli(['chat', ...words, ...flags], io);
    return { code, out: io.out(), err: io.err() };
  }

  test('answers each line on stdout, in one conversation', async () => {
    const { code, out, err } = await piped('count\n\ncount\n', 'friend');
    expect({ code, out }).toEqual({ code: 0, out: '2 messages\n4 messages\n' });
    expect(err).toMatch(/Continue: reloop chat friend --session [a-z]+-[a-z]+/u);
  });

  test('takes the options of a start, for each question', async () => {
    const session = newSession();
    const typed = ['--session', session, '--priority', '1', '--tag', session, '--max-iterations', '3'];
    await piped('count\ncount\n', 'friend', ...typed);
    const found = () => allOf(rig.client.list({ tags: [session] }));
    await expect.poll(found).toMatchObject([{ priority: 1 }, { priority: 1 }]);
  });

  test('ends with --no-wait behind a run that waits, and so does `reloop run`', async () => {
    const session = newSession();
    const ask = async (question: string, id: string) => {
      for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value);
      const io = fakeIo();
      const words = ['run', 'friend', question, '--session', session, '--id', id, '--no-wait', '--json'];
      return { code: await cli([...words, ...flags], io), out: io.out(), err: io.err() };
    };
    const [first, second] = [`${session}-1`, `${session}-2`];
    expect((await ask('pay 5', first)).code).toBe(4);
    const behind = await ask('count', second);
    expect(behind).toMatchObject({ code: 4, out: `{"id":"${second}"}\n` });
    expect(behind.err).toContain(`Run ${first} comes first and waits for a person:`);
    expect(behind.err).toContain('Waiting for you: pay (1.1) needs your approval');
    expect(behind.err).toContain(`reloop approve ${first}`);
    expect(behind.err).toContain(`The question stays in session ${session}`);
    const third = await piped('count\ncount\n', 'friend', '--no-wait', '--session', session);
    expect(third).toMatchObject({ code: 4, out: '' });
    expect(third.err.match(/comes first/gu)).toHaveLength(1);
    await rig.client.get(first).decide(undefined, { type: 'approve' });
    const answered = await rig.client.run('friend', 'count', { session, id: second });
    expect(answered.output).toBe('4 messages');
  });

  test('asks an agent without a memory each question for itself, and says so once', async () => {
    const { err } = await piped('', 'loner');
    expect(err.match(/it sees each question alone/gu)).toHaveLength(1);
    expect((await piped('', 'loner', '--session', newSession())).code).toBe(2);
  });

  test('names the agents where it is not said which one to talk to', async () => {
    const { code, err } = await piped('count\n');
    expect(code).toBe(2);
    expect(err).toContain('Which agent? reloop chat AGENT. The config has: friend, other, loner.');
  });
});
