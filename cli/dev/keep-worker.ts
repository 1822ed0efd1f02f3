import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exitCodes } from '../shell/io.ts';
import { count, duration } from '../../features/render/words/amounts.ts';
import type { ConfigSummary } from './child-messages.ts';
import { changesBetween } from './summary.ts';
import { type WorkerChild, whyNotReady } from './worker-child.ts';

export interface KeptWorker {
  /**
   * Reloads the config in another process, which takes the worker's place if it loads. `isGuess`: the config could not
   * be loaded, and these new files may be what it needs.
   */
  reload(files: readonly string[], isGuess?: boolean): void;
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
  /** Called when a load of the config starts; the returned function gets the result. */
  onLoading(): (isLoaded: boolean) => void;
}

/** A person may save a file twice while it is being loaded. */
const MOST_REPEATS = 2;
/** A program may write new files for ever, beside a config that is still broken. */
const MOST_GUESSES = 10;
/** A load that takes longer gives way to the next one. */
const HANGS_MS = 10_000;
const MOST_PAUSE_MS = 30_000;
/** One that lived this long did not fail for the reason of the one before. */
const SOUND_MS = 60_000;
/** The grace of calls under way, and what it takes to end them. */
const END_MS = 15_000;

/** Has a worker running in a separate process: replaced when the config changes, started again when it dies. */
export function keepWorker(options: KeepOptions): KeptWorker {
  const { spawn, watching, onBegin, onSay, onLoading } = options;
  let live: { child: WorkerChild; summary: ConfigSummary } | undefined;
  let summary = options.summary;
  /** The process that loads the config, or starts to poll. */
  let next: WorkerChild | undefined;
  const former = new Set<WorkerChild>();
  let deaths = 0;
  let again: NodeJS.Timeout | undefined;
  /** The latest load for a change: of which files, when it ended, and how often these files changed during such a load. */
  let load: { files: ReadonlySet<string>; endedAt: number; repeats: number } | undefined;
  /** Files that changed while they were being loaded, for the next load. */
  let queued: readonly string[] | undefined;
  let patience: NodeJS.Timeout | undefined;
  /** Loads for new files since a watched file changed. */
  let guesses = 0;
  /** New files of the time of a load: that load continues, as the next new file would drop each one. */
  let guessed: readonly string[] | undefined;
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
      startLater(`The worker's process ended on its own (${how})`);
    });
  }

  function startLater(why: string): void {
    const pauseMs = deaths === 0 ? 0 : Math.min(1_000 * 2 ** (deaths - 1), MOST_PAUSE_MS);
    deaths++;
    onSay(`${why}: ${pauseMs === 0 ? 'starting it again.' : `starting it again in ${pauseMs / 1000} s.`}`);
    again = setTimeout(() => void start('Started again'), pauseMs);
  }

  /** `done` is printed when the worker polls. */
  async function start(done: string): Promise<void> {
    clearTimeout(again);
    const beganAt = Date.now();
    next?.tell({ type: 'end' });
    const onLoaded = onLoading();
    const child = spawn();
    next = child;
    const loaded = await child.loaded;
    if (loaded !== undefined && next === child) child.tell({ type: 'work' });
    const ready = await child.ready;
    if (next !== child || ending) return; // a later change has taken its place
    next = undefined;
    if (load !== undefined) load.endedAt = Date.now();
    onLoaded(ready !== undefined);
    await (loaded === undefined || ready === undefined
      ? sayFailure(child)
      : takeOver(child, loaded, `${done} in ${duration(Date.now() - beganAt)}`));
    if (queued !== undefined) loadAgain(queued);
    else if (guessed !== undefined && ready === undefined) guess(guessed);
    guessed = undefined;
  }

  async function takeOver(child: WorkerChild, loaded: ConfigSummary, done: string): Promise<void> {
    const replaced = live?.child;
    onSay(`${done}: ${changesBetween(summary, loaded)}`);
    makeLive(child, loaded);
    if (replaced !== undefined) await letGo(replaced);
  }

  async function sayFailure(child: WorkerChild): Promise<void> {
    const { lines, code } = await whyNotReady(child);
    for (const line of lines) onSay(line);
    if (live !== undefined) return onSay('Still running the former one.');
    if (watching && code === exitCodes.usage) return onSay('No worker runs until that is fixed.');
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
      `${count(calls, 'call')} under way ${calls === 1 ? 'continues' : 'continue'} with the code that was there before.`,
    );
  }

  function begin(files: readonly string[], repeats: number): void {
    unqueue();
    load = { files: new Set(files), endedAt: Infinity, repeats };
    onBegin(`${namesOf(files)} changed: loading the config …`);
    void start('Reloaded');
  }

  /** The next load starts after this one, or in place of one that hangs. */
  function enqueue(files: readonly string[]): void {
    queued = files;
    patience ??= setTimeout(() => begin(queued ?? files, 0), HANGS_MS);
  }

  function unqueue(): void {
    clearTimeout(patience);
    [queued, patience] = [undefined, undefined];
  }

  /** A config may write what it imports: that must not drop each load for the next one, nor continue for ever. */
  function loadAgain(files: readonly string[]): void {
    unqueue();
    const repeats = (load?.repeats ?? 0) + 1;
    if (repeats <= MOST_REPEATS) return begin(files, repeats);
    onSay(
      `note: ${namesOf(files)} changes whenever the config is loaded; the config is not loaded again for that.`,
    );
  }

  function guess(files: readonly string[]): void {
    if (next !== undefined) {
      guessed = files;
      return;
    }
    if (guesses === MOST_GUESSES) return;
    guesses++;
    begin(files, 0);
    if (guesses === MOST_GUESSES) {
      onSay('note: no new file has helped. The config is loaded again when a file that it imports changes.');
    }
  }

  return {
    reload(files, isGuess = false) {
      deaths = 0;
      if (isGuess) return guess(files);
      guesses = 0;
      const { endedAt = 0, files: loading = new Set() } = load ?? {};
      const isOwn = files.every((file) => loading.has(file) && changedAt(file) <= endedAt);
      if (!isOwn) begin(files, 0);
      else if (next === undefined) loadAgain(files);
      else enqueue(files);
    },
    async end() {
      ending = true;
      clearTimeout(again);
      unqueue();
      next?.tell({ type: 'end' });
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

const MOST_NAMES = 3;

function namesOf(files: readonly string[]): string {
  const all = new Set(files.map((file) => relative(process.cwd(), file)));
  const names = [...all].slice(0, MOST_NAMES);
  const more = all.size - names.length;
  return more > 0 ? `${names.join(', ')} and ${more} more` : names.join(', ');
}

/** 0 for a file that is gone. */
function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0;
}
