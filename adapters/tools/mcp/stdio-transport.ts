import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { McpProcess } from './server-spec.ts';
import { unreadableReply } from './unreadable-reply.ts';

/** A server in a separate process, asked by lines of JSON. */
export interface StdioTransport extends Transport {
  /** Lets this process stay alive for the server's process, or not. */
  keepAlive(on: boolean): void;
  /** Last text that the server wrote to its standard error; '' if none. */
  complaint(): string;
}

const COMPLAINT_CHARS = 1000;
const MAX_LINE_BYTES = 10 * 1024 * 1024;

/**
 * Guarding shell: when this process is gone, whatever the cause, its standard input closes as the server's does, and a
 * server that has not ended a second later is killed with all it started.
 */
const guard = '"$@" <&3 3<&- & exec 3<&- >&- 2>&-; read -r _; sleep 1; kill -9 0';

/** The SDK's own transport neither says why a server ended nor lets this process end before it. */
export async function stdioTransport({ command, args = [], env, cwd }: McpProcess): Promise<StdioTransport> {
  const [{ deserializeMessage, serializeMessage }, { getDefaultEnvironment }] = await Promise.all([
    import('@modelcontextprotocol/client'),
    import('@modelcontextprotocol/client/stdio'),
  ]);
  let child: ChildProcess | undefined;
  let complaint = '';
  let rest: Buffer = Buffer.alloc(0);

  const transport: StdioTransport = {
    start() {
      child = spawn('/bin/sh', ['-c', guard, 'sh', command, ...args], {
        ...(cwd === undefined ? {} : { cwd }),
        env: { ...getDefaultEnvironment(), ...env },
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      });
      const { stdout, stderr } = child;
      // A broken pipe is followed by the end of the process, which says all that matters.
      for (const stream of child.stdio) stream?.on('error', () => undefined);
      child.on('error', (error) => (complaint = error.message));
      stderr?.setEncoding('utf8').on('data', (piece: string) => {
        complaint = (complaint + piece).slice(-COMPLAINT_CHARS);
      });
      stdout?.on('data', (chunk: Buffer) => read(chunk));
      stdout?.once('end', () => kill(child));
      child.once('close', () => transport.onclose?.());
      return Promise.resolve();
    },
    send(message) {
      inputOf(child)?.write(serializeMessage(message));
      return Promise.resolve();
    },
    close() {
      for (const stream of [child?.stdin, inputOf(child)]) stream?.end();
      transport.keepAlive(false);
      return Promise.resolve();
    },
    keepAlive(on) {
      for (const part of handlesOf(child)) {
        if (on) part.ref();
        else part.unref();
      }
    },
    complaint: () => complaint.trim(),
  };

  function read(chunk: Buffer): void {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      const line = rest.toString('utf8', 0, end);
      rest = rest.subarray(end + 1);
      receive(line);
    }
    if (rest.length <= MAX_LINE_BYTES) return;
    transport.onerror?.(new Error(`a line of more than ${MAX_LINE_BYTES} bytes`));
    kill(child); // nothing after it can be read either
    rest = Buffer.alloc(0);
  }

  function receive(line: string): void {
    let message: JSONRPCMessage | undefined;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      transport.onerror?.(asError(error)); // this line is not a message; the next one may be
      message = unreadableReply(line, error);
    }
    if (message !== undefined) transport.onmessage?.(message);
  }
  return transport;
}

function inputOf(child: ChildProcess | undefined): Socket | undefined {
  const stream = child?.stdio[3];
  return stream instanceof Socket && stream.writable ? stream : undefined;
}

/** Handles that keep this process alive for the other. */
function handlesOf(child: ChildProcess | undefined): { ref(): unknown; unref(): unknown }[] {
  if (child === undefined) return [];
  return [child, ...child.stdio.flatMap((stream) => (stream instanceof Socket ? [stream] : []))];
}

/** The negative id means the whole group: the guard, the server, and whatever it started. */
function kill(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
