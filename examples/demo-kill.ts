/** `npm run demo:kill`: a run whose process is killed in the middle of a tool call goes on where it was. */
import { ends, reloop, says } from './command.ts';

const id = `demo-kill-${Date.now()}`;

const first = reloop('run', 'counter', 'Count to eight.', '--id', id);
const ended = ends(first);
await says(first, /counted [2-5] of 8/u);
if (first.pid !== undefined) process.kill(-first.pid, 'SIGKILL');
await ended;
console.error(
  `\nkill -9: the worker is gone in the middle of call 1.1, and so is the command that started the run.`,
);
console.error('Temporal gives the call to the next worker once ten heartbeats are missing.');

const second = reloop('watch', id);
process.exitCode = (await ends(second)) ?? 1;
