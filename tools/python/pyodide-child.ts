/**
 * The programs of the Pyodide process, given to Node as text: so there is one form of them, whether Reloop runs from
 * its sources or compiled, and they need to read no file but Pyodide's.
 */

/** `load(options)`: Pyodide without network, packages or the process's own input and output. */
export const bootSource = String.raw`
import dgram from 'node:dgram';
import dns from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';

const config = JSON.parse(process.argv[1]);
process.argv[1] = 'python'; // shows in os.environ
// Pyodide asks for the constants in an old way, which the permission model refuses.
process.binding = () => ({ fs: fs.constants });
// Python's sockets, and all that goes out of Node, end up here.
const noNetwork = () => {
  throw new Error('There is no network');
};
for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype, dgram.Socket.prototype]) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
    if (typeof value === 'function' && name !== 'constructor') owner[name] = noNetwork;
  }
}
dgram.createSocket = dgram.Socket = noNetwork;
net.Socket.prototype.connect = net.Server.prototype.listen = noNetwork;
// Node's permissions cover neither signals to other processes nor what makes such functions anew.
for (const name of [
  'kill', '_kill', '_debugProcess', '_debugEnd', 'getBuiltinModule', 'dlopen', '_linkedBinding', 'report', 'chdir', 'umask',
  'setuid', 'setgid', 'seteuid', 'setegid', 'setgroups', 'initgroups', 'execve', 'loadEnvFile',
]) delete process[name];
os.setPriority = undefined;
syncBuiltinESMExports();
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

/** Answers requests on file descriptor 3 until it closes. A JavaScript error ends the process: Pyodide does not survive one. */
export const serveSource = String.raw`
const grow = WebAssembly.Memory.prototype.grow;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * 65536 > config.memoryBytes) throw new RangeError('memory limit');
  return grow.call(this, pages);
};
const python = await (config.image ? load({ _loadSnapshot: fs.readFileSync(config.image) }) : load({})).catch(() => load({}));
python.runPython(config.repl);
const answer = python.globals.get('answer');

const channel = new net.Socket({ fd: 3, readable: true, writable: true });
let rest = '';
channel.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) channel.write(answer(line) + '\n');
});
channel.on('close', () => process.exit(0));
`;
