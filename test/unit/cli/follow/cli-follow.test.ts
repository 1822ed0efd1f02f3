import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../../../agent/run/events.ts';
import { finish } from '../../../../cli/follow/finish.ts';
import { type FollowOptions, type FollowedRun, follow } from '../../../../cli/follow/follow.ts';
import { lastingWebUi } from '../../../../cli/connection/web-ui.ts';
import type { EmbeddedServer } from '../../../../local/server/server.ts';
import { type FakeIo, fakeIo } from '../../../support/fake-io.ts';
import { offlineContext } from '../../../support/offline-context.ts';
import {
  answers,
  atSeconds,
  decides,
  observes,
  waits,
  started,
  within,
} from '../../../support/run-events.ts';

interface FakeRun extends FollowedRun {
  goesOn(...more: RunEvent[]): void;
  cancelled(): number;
}

/** A run whose history is given, and goes on when a test says so. */
function fakeRun(recorded: RunEvent[]): FakeRun {
  const events: RunEvent[] = [...recorded, { at: 0, type: 'caught_up' }];
  const readers: (() => void)[] = [];
  let cancelled = 0;
  const goesOn = (...more: RunEvent[]) => {
    events.push(...more);
    for (const wake of readers.splice(0)) wake();
  };
  return {
    id: 'run-1',
    goesOn,
    cancelled: () => cancelled,
    async *events({ follow: goOn = true } = {}) {
      for (let index = 0; ; index++) {
        if (!goOn && events.length <= index) return;
        while (events.length <= index) await new Promise<void>((resolve) => readers.push(resolve));
        const event = events[index];
        if (event === undefined) return;
        yield event;
        if (event.type === 'run_ended') return;
      }
    },
    describe: () => Promise.reject(new Error('nobody asked for a report')),
    async cancel() {
      cancelled++;
      goesOn(...ended('cancelled'));
    },
  };
}

function ended(status: 'cancelled' | 'failed'): RunEvent[] {
  const error = status === 'failed' ? { type: 'ToolBroke', message: 'two\nlines' } : null;
  const stopReason = status === 'failed' ? 'error' : 'cancelled';
  const nothing = { output: null, iterations: null, usage: null };
  return atSeconds({ type: 'run_ended', status, stopReason, ...nothing, error });
}

const silent: FollowOptions = { untilWaiting: false, onInterrupt: 'cancel', flags: [] };

/** A command's server. `uiUrl`: the command has started the server, and knows its Web UI. */
function session(uiUrl?: string) {
  const embedded = uiUrl === undefined ? undefined : ({ uiUrl } as EmbeddedServer);
  return { ...offlineContext(), embedded };
}

/** Follows a run as a command does, to its exit code. */
async function followed(io: FakeIo, run: FakeRun, options: Partial<FollowOptions> = {}, uiUrl?: string) {
  const came = await follow(io, session(uiUrl), run, { ...silent, ...options });
  return finish(io, run, came, 'answer');
}

/** Lets whatever is under way come to rest. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

const parked = atSeconds(started, ...decides('1', 'search', 'cats'), ...waits('1.1', 'search', 'cats'));
const retried = atSeconds(
  { type: 'decided', call: '1.1', decision: { type: 'retry' } },
  { type: 'tool_started', call: '1.1', tool: 'search', toolInput: 'cats' },
);
const parkedBeside = parked.map((event) =>
  event.type === 'action' ? { ...event, background: true as const } : event,
);
const done = atSeconds(observes('1.1', 'search', 'cats', 'meow'), ...answers('2', 'Cats.'));

const parkedBelow = atSeconds(started, ...decides('1', 'helper', 'cats'), {
  type: 'waiting',
  wait: { call: '1.1/2.1', n: 0, tool: 'search', toolInput: 'cats', reason: 'failed' },
});

describe('following a run', () => {
  test('stops at a call that waits in a sub-agent, and says what to type and where to look', async () => {
    const io = fakeIo();
    const run = fakeRun(parkedBelow);
    expect(await followed(io, run, { untilWaiting: true }, 'http://ui')).toBe(4);
    expect(io.err()).toContain('reloop retry run-1 1.1/2.1');
    expect(io.err()).toContain('http://ui/namespaces/default/workflows/run-1%2F1.1');
  });

  test('goes on when what waited in a sub-agent is decided there', async () => {
    const io = fakeIo();
    const resumed = atSeconds({ type: 'resumed', call: '1.1/2.1' });
    const rest = atSeconds(observes('1.1', 'helper', 'cats', 'meow'), ...answers('2', 'Cats.'));
    const run = fakeRun([...parkedBelow, ...resumed, ...rest]);
    expect(await followed(io, run, { untilWaiting: true })).toBe(0);
  });

  test('stops at a paused run whose sub-agent is paused too, once nothing runs in it, though its call is open', async () => {
    const io = fakeIo();
    const pause = { type: 'steered', message: { type: 'pause' } } as const;
    const resumed = { type: 'resumed', call: '1.1/2.1' } as const;
    const run = fakeRun([...parkedBelow, ...atSeconds(pause, resumed)]);
    const following = followed(io, run, { untilWaiting: true });
    let came = false;
    void following.then(() => (came = true));
    const runs = { type: 'tool_started', call: '2.2', tool: 'search', toolInput: 'dogs' } as const;
    await settled();
    run.goesOn(...atSeconds(...within('1.1', runs, pause)));
    await settled();
    expect(came).toBe(false);
    run.goesOn(...atSeconds(...within('1.1', observes('2.2', 'search', 'dogs', 'wow'))));
    expect(await following).toBe(4);
  });

  test('goes on past a call of a sub-agent that has just been decided, until it waits again', async () => {
    const io = fakeIo();
    const run = fakeRun(parkedBelow);
    const following = followed(io, run, { untilWaiting: true, decided: { call: '1.1/2.1', n: 0 } });
    await settled();
    expect(io.err()).not.toContain('reloop retry');
    const wait = { call: '1.1/2.1', n: 1, tool: 'search', toolInput: 'cats', reason: 'failed' } as const;
    run.goesOn(...atSeconds({ type: 'resumed', call: '1.1/2.1' }, { type: 'waiting', wait }));
    expect(await following).toBe(4);
    expect(io.err()).toContain('reloop retry run-1 1.1/2.1');
  });

  test('prints the answer on stdout and all else on stderr', async () => {
    const io = fakeIo();
    expect(await followed(io, fakeRun([...parked, ...retried, ...done]))).toBe(0);
    expect(io.out()).toBe('Cats.\n');
    expect(io.err()).toContain('Observation: meow');
  });

  test('prints nothing on stdout for a run that failed, and one line with its type', async () => {
    const io = fakeIo();
    expect(await followed(io, fakeRun([...parked, ...ended('failed')]))).toBe(1);
    expect(io.out()).toBe('');
    expect(io.err().trim().split('\n').at(-1)).toBe('error: ToolBroke: two lines');
  });

  test('says what to type for a call that waits, and where to look', async () => {
    const io = fakeIo();
    const flags = ['--config', 'my.config.ts'];
    const options = { untilWaiting: true, flags };
    expect(await followed(io, fakeRun(parked), options, 'http://127.0.0.1:8233')).toBe(4);
    expect(io.out()).toBe('');
    expect(io.err().split('\n').slice(-6)).toEqual([
      '      reloop retry run-1 --config my.config.ts  (other input: --input "…")',
      '      reloop resolve run-1 "…" --config my.config.ts',
      '      reloop skip run-1 --config my.config.ts  (why: --reason "…")',
      '      reloop abort run-1 --config my.config.ts  (why: --reason "…")',
      '      or in the Web UI: http://127.0.0.1:8233/namespaces/default/workflows/run-1/r/user-metadata',
      '',
    ]);
  });

  test('names the Web UI at a wait only where it outlives the command', () => {
    const uiUrl = 'http://127.0.0.1:8233';
    const of = (startedByUs: boolean) => lastingWebUi({ uiUrl, startedByUs } as EmbeddedServer);
    expect([of(false), of(true), lastingWebUi(undefined)]).toEqual([uiUrl, undefined, undefined]);
  });

  test.each([
    ['3', ''],
    ['1.1/3', ' 1.1/3'],
  ])('says of the model call %s that waits only what fits it', async (call, which) => {
    const io = fakeIo();
    const wait = { call, n: 0, tool: 'callModel', toolInput: null, reason: 'failed' } as const;
    const turn = call === '3' ? [] : decides('1', 'search', 'cats');
    const run = fakeRun(atSeconds(started, ...turn, { type: 'waiting', wait }));
    expect(await followed(io, run, { untilWaiting: true })).toBe(4);
    const typed = io.err().match(/^.*reloop .*$/gmu);
    expect(typed).toEqual([
      `      reloop retry run-1${which}`,
      `      reloop resolve run-1${which} "…"  (the reply, as the model would have written it)`,
      `      reloop abort run-1${which}  (why: --reason "…")`,
    ]);
  });

  test('names the call in what to type where several wait', async () => {
    const io = fakeIo();
    const begun = { type: 'tool_started', call: '1.2', tool: 'search', toolInput: 'dogs' } as const;
    const second = atSeconds(begun, ...waits('1.2', 'search', 'dogs'));
    await followed(io, fakeRun([...parked, ...second]), { untilWaiting: true });
    expect(io.err()).toContain('reloop retry run-1 1.2 ');
  });

  test('takes a call that waited and was decided on for what it is: past', async () => {
    const io = fakeIo();
    const run = fakeRun([...parked, ...retried]);
    const code = followed(io, run, { untilWaiting: true });
    await settled();
    expect(io.err()).not.toContain('reloop retry');
    run.goesOn(...done);
    expect(await code).toBe(0);
  });

  test('does not leave while another call of the turn runs', async () => {
    const io = fakeIo();
    const action = { tool: 'search', toolInput: 'dogs', log: '' };
    const run = fakeRun([...parked, ...atSeconds({ type: 'action', call: '1.2', action })]);
    const code = followed(io, run, { untilWaiting: true });
    await settled();
    run.goesOn(...atSeconds(observes('1.2', 'search', 'dogs', 'woof')));
    expect(await code).toBe(4);
    expect(io.err()).toContain('woof');
  });

  test('does not leave at the wait of a background call while the model works', async () => {
    const io = fakeIo();
    const run = fakeRun([...parkedBeside, ...atSeconds({ type: 'model_started', call: '2' })]);
    const code = followed(io, run, { untilWaiting: true });
    await settled();
    run.goesOn(...done);
    expect(await code).toBe(0);
  });

  test('leaves where a run at its limit stands still until a background call is decided', async () => {
    const io = fakeIo();
    const run = fakeRun(parkedBeside);
    expect(await followed(io, run, { untilWaiting: true })).toBe(4);
  });
});

describe('Ctrl-C while a run is followed', () => {
  /** Sends a signal to the command that follows the parked run. */
  async function interrupted(
    io: FakeIo,
    options?: Partial<FollowOptions>,
    signal: Parameters<FakeIo['signal']>[0] = 'SIGINT',
    after?: RunEvent[],
  ) {
    const run = fakeRun(parked);
    const code = followed(io, run, options);
    await settled();
    io.signal(signal);
    if (after !== undefined) run.goesOn(...after);
    return { code: await code, out: io.out(), cancelled: run.cancelled() };
  }

  test('cancels it where nobody can be asked', async () => {
    const io = fakeIo();
    expect(await interrupted(io)).toMatchObject({ code: 130, cancelled: 1 });
    expect(io.err().trim().split('\n').at(-1)).toMatch(/^error: Cancelled: /u);
  });

  test.each([
    ['c\n', 130, '', 1],
    ['d\n', 0, 'run-1\n', 0],
    ['\n', 0, 'run-1\n', 0],
  ])('asks on a terminal: %j', async (typed, code, out, cancelled) => {
    const io = fakeIo({ terminal: true, typed });
    expect(await interrupted(io)).toEqual({ code, out, cancelled });
    expect(io.err()).toContain('[D/c]');
  });

  test('takes the question back where the run ends before the answer', async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const io = { ...fakeIo({ terminal: true }), stdin };
    const ended = await interrupted(io, {}, 'SIGINT', [...retried, ...done]);
    expect(ended).toEqual({ code: 0, out: 'Cats.\n', cancelled: 0 });
    expect(io.err()).toContain('The run has ended meanwhile.');
  });

  test('only looks away where the run is somebody else’s', async () => {
    const io = fakeIo();
    expect(await interrupted(io, { onInterrupt: 'leave' })).toMatchObject({ code: 130, cancelled: 0 });
    expect(io.err()).toContain('reloop watch run-1');
  });

  test('SIGTERM leaves the run as it is', async () => {
    const ended = await interrupted(fakeIo({ terminal: true }), {}, 'SIGTERM');
    expect(ended).toEqual({ code: 143, out: '', cancelled: 0 });
  });
});
