/**
 * The programs of the Pyodide process, given to Node as text: so there is one form of them, whether Reloop runs from
 * its sources or compiled, and they need to read no file but Pyodide's.
 */

/**
 * `load(options)`: Pyodide without packages or the process's own input and output. `shutOff()`: takes network, signals to other
 * processes, and other ways out of the process away. Comes after Pyodide, which loads more of Node, and before any code.
 */
export const bootSource = String.raw`
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import inspector from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import tls from 'node:tls';

const config = JSON.parse(process.argv[1]);
process.argv[1] = 'python'; // shows in os.environ
globalThis.console = new console.Console(process.stderr); // standard output is for replies
// Pyodide asks for the constants in an old way, which the permission model refuses.
process.binding = () => ({ fs: fs.constants });

// Python's sockets, and all that goes out of Node, end up here.
const noNetwork = () => {
  throw new Error('There is no network');
};
function take(owner) {
  for (const name of Object.getOwnPropertyNames(owner)) {
    const { value, writable } = Object.getOwnPropertyDescriptor(owner, name);
    if (typeof value === 'function' && writable && name !== 'constructor') owner[name] = noNetwork;
  }
}
// Whatever way leads to a handle of Node's own code: nothing connects or listens without these. Throws where Node hands out none.
function handlePrototypes() {
  // A lookup that never answers: nothing is connected.
  const tcp = new net.Socket().connect({ host: 'x.invalid', port: 1, lookup() {} });
  const udp = dgram.createSocket('udp4');
  const udpState = Object.getOwnPropertySymbols(udp).map((key) => udp[key]).find((state) => state?.handle);
  // Standard input is a pipe. Node 25 and later make no other one without the permission for the network.
  const handles = [tcp._handle, process.stdin._handle, udpState.handle, new dns.Resolver()._handle];
  const prototypes = handles.map((handle) => Object.getPrototypeOf(handle));
  tcp.destroy();
  udp.close();
  return prototypes;
}
function shutOff() {
  // Made when they are first looked at, which would be too late.
  void [process.stdin, process.stdout, process.stderr];
  const prototypes = handlePrototypes();
  for (const owner of [dns.Resolver, dns.promises.Resolver, dgram.Socket, net.Server]) take(owner.prototype);
  net.Socket.prototype.connect = noNetwork;
  for (const owner of [dns, dns.promises, dgram, net, tls, http, https, http2, inspector, ...prototypes]) take(owner);
  // Node's permissions cover neither signals to other processes nor functions that create such functions again.
  for (const name of [
    'kill', '_kill', '_debugProcess', '_debugEnd', 'getBuiltinModule', 'dlopen', '_linkedBinding', 'report', 'chdir', 'umask',
    'setuid', 'setgid', 'seteuid', 'setegid', 'setgroups', 'initgroups', 'execve', 'loadEnvFile',
    '_getActiveHandles', '_getActiveRequests',
  ]) delete process[name];
  os.setPriority = undefined;
  syncBuiltinESMExports();
}
const { loadPyodide } = await import(config.pyodide);
const lock = JSON.parse(fs.readFileSync(new URL('pyodide-lock.json', config.pyodide), 'utf8'));

function load(options) {
  return loadPyodide({
    env: { HOME: '/home/pyodide', PYTHONHASHSEED: '0' },
    jsglobals: { setTimeout, clearTimeout },
    lockFileContents: { ...lock, packages: {} },
    stdin: () => null,
    stdout() {},
    stderr() {},
    ...options,
  });
}
`;

/** Boots once and writes the memory to a file; the modules that models reach for most are loaded in it. */
export const snapshotSource = String.raw`
const python = await load({ _makeSnapshot: true });
python.runPython('import collections, csv, datetime, decimal, fractions, itertools, json, math, random, re, statistics, textwrap');
fs.writeFileSync(config.draft, python.makeMemorySnapshot());
fs.renameSync(config.draft, config.image);
process.exit(0);
`;

/**
 * Answers requests on standard input, by standard output, until the input closes. A JavaScript error ends the process: Pyodide does not
 * survive one. Node 26.12 takes no other descriptor as a socket without the permission for the network, and a read of a file that waits
 * for a request would keep the process from ending.
 *
 * Python's objects lie in WebAssembly's memory, its files and pipes in JavaScript's. All of them together are held to
 * `memoryBytes` beyond what there is at the start. The size of the process would not do: freed memory is a part of it.
 */
export const serveSource = String.raw`
const { stdin: requests, stdout: replies } = process;
const { memoryUsage } = process;
const { gc } = globalThis;
let grown = 0;
function used() {
  const { arrayBuffers, heapUsed } = memoryUsage();
  return grown + arrayBuffers + heapUsed;
}
let atStart = Infinity;
let unchecked = 0;
function isFull(bytes) {
  // Checked once for a megabyte, since a check takes longer than a short write; a value that is not bytes counts as
  // some.
  unchecked += bytes + 500;
  if (unchecked < 1_000_000) return false;
  unchecked = 0;
  const isOver = () => used() + bytes > atStart + config.memoryBytes;
  if (!isOver()) return false;
  // Deleted files are there until now. The second collection waits for what the first one frees in another thread.
  gc();
  gc();
  return isOver();
}
const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function (pages) {
  const bytes = pages * 65536;
  if (this.buffer.byteLength + bytes > config.memoryBytes || isFull(bytes)) throw new RangeError('memory limit');
  const before = grow.call(this, pages);
  grown += bytes;
  return before;
};
const python = await (config.image ? load({ _loadSnapshot: fs.readFileSync(config.image) }) : load({})).catch(() => load({}));
python.runPython(config.repl);
const answer = python.globals.get('answer');

const { FS } = python;
const ENOSPC = 51;
function bounded(name, bytesOf) {
  const original = FS[name];
  FS[name] = function (...args) {
    if (isFull(bytesOf(...args))) throw new FS.ErrnoError(ENOSPC);
    return original.apply(this, args);
  };
}
bounded('write', (_stream, _buffer, _offset, length) => length);
bounded('createNode', () => 0);
shutOff();
atStart = used();

let rest = '';
requests.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) replies.write(answer(line) + '\n');
});
requests.on('close', () => process.exit(0));
`;
