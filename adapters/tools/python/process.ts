import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orAborted } from '../../../agent/values/concurrent.ts';
import { openChannel } from './channel.ts';

/** Command for an interpreter that answers requests on file descriptor 3. */
export interface Launch {
  /** Name of the interpreter, for messages. */
  name: string;
  command: string;
  args: string[];
  /** The whole environment of the process. */
  env: { [name: string]: string };
}

/** Sent before any code. */
export interface PythonSettings {
  seed: string;
  memoryBytes: number;
}

export interface PythonProcess {
  alive(): boolean;
  /**
   * Text that the code printed, or the message of its exception. One call at a time. An abort kills the process and
   * rejects with the signal's reason; a process that ends on its own rejects with PythonEnded.
   */
  run(code: string, signal: AbortSignal): Promise<string>;
  /** Kills it and all that it started. */
  end(): void;
}

/** Starts an interpreter in its own process group and folder. It neither outlives this process nor keeps it alive. */
export async function startPython(
  launch: Launch,
  settings: PythonSettings,
  signal: AbortSignal,
): Promise<PythonProcess> {
  signal.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), 'reloop-python-'));
  const child = spawnGuarded(launch, folder);
  const complaint = collectComplaint(child);
  const channel = openChannel(socketOf(child));
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    killGroup(child);
    removeFolder(folder);
  };
  const ask = (message: object, until: AbortSignal) => orAborted(channel.ask(message), until, end);

  void channel.closed.then(end);
  await ask(settings, signal).catch(async (error: unknown) => {
    if (signal.aborted) throw error;
    throw new Error(`${launch.name} did not start: ${await complaint()}`);
  });
  unrefAll(child);
  return { alive: channel.isOpen, run: (code, until) => ask({ code }, until), end };
}

/**
 * Guarding shell: when this process is gone, whatever the cause, its standard input closes, and it takes the
 * interpreter with it. The interpreter could not be relied on for that: a busy loop would starve its watch.
 */
const guard = '"$@" & exec 3>&-; read -r _; kill -9 $!; rm -rf -- "$HOME"; kill -9 0';

function spawnGuarded({ command, args, env }: Launch, folder: string): ChildProcess {
  const child = spawn('/bin/sh', ['-c', guard, 'sh', command, ...args], {
    cwd: folder,
    env: { ...env, HOME: folder, TMPDIR: folder },
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
  });
  // A broken pipe is followed by the end of the process, which says all that matters.
  for (const stream of child.stdio) stream?.on('error', () => undefined);
  return child;
}

/** The process's output about its own failure, once it has ended. */
function collectComplaint(child: ChildProcess): () => Promise<string> {
  let text = '';
  child.on('error', (error) => (text += error.message));
  child.stderr?.setEncoding('utf8').on('data', (piece: string) => (text = (text + piece).slice(-2000)));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return async () => {
    await closed;
    return text.trim() || 'it ended without a message';
  };
}

function socketOf(child: ChildProcess): Socket {
  const socket = child.stdio[3];
  if (socket instanceof Socket) return socket;
  throw new Error('python: the process was started without its channel (file descriptor 3)');
}

/** The negative id means the whole group: the guard, the interpreter, and whatever the code started. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

/** Removes the folder at once, not when the interpreter has ended: this process may be about to end, too. */
function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // A process that is not quite gone still wrote; the folder is left to the system's own cleaning.
  }
}

function unrefAll(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) if (stream instanceof Socket) stream.unref();
}
