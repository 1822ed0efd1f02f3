import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodes } from '../exit-codes.ts';
import { count } from '../print/display.ts';
import type { ConfigSummary } from './child-messages.ts';
import { changesBetween } from './summary.ts';
import { type WorkerChild, whyNotReady } from './worker-child.ts';

export interface KeptWorker {
  /** Loads the config anew in another process, which takes the worker's place if it loads. */
  reload(files: readonly string[]): void;
  /** Lets work under way end for some seconds. */
  end(): Promise<void>;
}

export interface KeepOptions {
  child: WorkerChild;
  summary: ConfigSummary;
  spawn(): WorkerChild;
  /** A change of a file may help. */
  watching: boolean;
  onBegin(text: string): void;
  onSay(text: string): void;
  /** An attempt to load the config begins; what is returned is told whether it could be loaded. */
  onLoading(): (isLoaded: boolean) => void;
}

const MOST_PAUSE_MS = 30_000;
/** One that lived this long did not fail for the reason of the one before. */
const SOUND_MS = 60_000;
/** The grace of calls under way, and what it takes to end them. */
const END_MS = 15_000;

/** Has a worker running in a process of its own: replaced when the config changes, started again when it dies. */
export function keepWorker(options: KeepOptions): KeptWorker {
  const { spawn, watching, onBegin, onSay, onLoading } = options;
  let live: { child: WorkerChild; summary: ConfigSummary } | undefined;
  let summary = options.summary;
  /** Loads, or begins to poll. */
  let next: WorkerChild | undefined;
  const former = new Set<WorkerChild>();
  let deaths = 0;
  let again: NodeJS.Timeout | undefined;
  let ending = false;
  makeLive(options.child, options.summary);

  function makeLive(child: WorkerChild, loaded: ConfigSummary): void {
    live = { child, summary: loaded };
    summary = loaded;
    void child.gone.then(({ how, failed }) => {
      if (live?.child !== child || ending) return;
      live = undefined;
      if (Date.now() - child.startedAt > SOUND_MS) deaths = 0;
      for (const line of failed?.lines ?? []) onSay(line);
      startLater(`The worker's process ended by itself (${how})`);
    });
  }

  function startLater(why: string): void {
    const pauseMs = deaths === 0 ? 0 : Math.min(1_000 * 2 ** (deaths - 1), MOST_PAUSE_MS);
    deaths++;
    onSay(`${why}: ${pauseMs === 0 ? 'starting it again.' : `starting it again in ${pauseMs / 1000} s.`}`);
    again = setTimeout(() => void start('Started again'), pauseMs);
  }

  /** `done` says in a word what has been done when it polls. */
  async function start(done: string): Promise<void> {
    clearTimeout(again);
    const beganAt = Date.now();
    if (next !== undefined) drop(next);
    const onLoaded = onLoading();
    const child = spawn();
    next = child;
    const loaded = await child.loaded;
    if (loaded !== undefined && next === child) child.tell({ type: 'work' });
    const ready = await child.ready;
    if (next !== child || ending) return; // a later change has taken its place
    next = undefined;
    onLoaded(ready !== undefined);
    if (loaded === undefined || ready === undefined) return sayFailure(child);
    const replaced = live?.child;
    onSay(`${done} in ${Date.now() - beganAt} ms: ${changesBetween(summary, loaded)}`);
    makeLive(child, loaded);
    if (replaced !== undefined) await letGo(replaced);
  }

  async function sayFailure(child: WorkerChild): Promise<void> {
    const { lines, code } = await whyNotReady(child);
    for (const line of lines) onSay(line);
    if (live !== undefined) return onSay('Still running the former one.');
    if (watching && code === exitCodes.usage) return onSay('No worker runs until that is mended.');
    startLater('There is no worker');
  }

  /** Takes no more work; it ends with the last of its calls. */
  async function letGo(child: WorkerChild): Promise<void> {
    former.add(child);
    child.tell({ type: 'drain' });
    void child.gone.then(() => former.delete(child));
    const calls = await child.draining;
    if (calls === undefined || calls === 0) return;
    onSay(
      `${count(calls, 'call')} under way ${calls === 1 ? 'goes' : 'go'} on with the code that was there before.`,
    );
  }

  return {
    reload(files) {
      deaths = 0;
      onBegin(`${namesOf(files)} changed: loading the config …`);
      void start('Reloaded');
    },
    async end() {
      ending = true;
      clearTimeout(again);
      if (next !== undefined) drop(next);
      const children = [...former, ...(live === undefined ? [] : [live.child])];
      for (const child of children) child.tell({ type: 'end' });
      const gone = Promise.all(children.map((child) => child.gone));
      const late = sleep(END_MS, undefined, { ref: false }).then(() =>
        children.forEach((child) => child.kill()),
      );
      await Promise.race([gone, late]);
    },
  };
}

/** One that loads has no work yet; one that has begun to poll may have some. */
function drop(child: WorkerChild): void {
  child.tell({ type: 'end' });
}

const MOST_NAMES = 3;

function namesOf(files: readonly string[]): string {
  const names = files.slice(0, MOST_NAMES).map((file) => relative(process.cwd(), file));
  const more = files.length - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}
