import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as reloop from '../../../index.ts';
import { outliveStrayErrors } from '../../../worker/stray-errors.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A process that outlives stray errors, runs `body` and says so when it is still there afterwards. */
function processThat(body: string): { status: number | null; stdout: string; stderr: string } {
  const program = `
    import { EventEmitter } from 'node:events';
    import { inToolScope } from './activities/tool/tool-scope.ts';
    import { outliveStrayErrors } from './worker/stray-errors.ts';
    const outlived = outliveStrayErrors((line) => console.log(line));
    const tool = (run) => void inToolScope({ tool: 'mail', call: '3.1', run: 'r' }, run);
    ${body}
    setTimeout(() => console.log('still here'), 300);`;
  const nodeArguments = ['--import', 'tsx', '--input-type=module', '--eval', program];
  return spawnSync(process.execPath, nodeArguments, { cwd: root, encoding: 'utf8' });
}

const LINE = 'warn: mail (3.1), run r: an error of the tool came after its call had ended: ';

test('an error that a tool left behind is logged with tool, call and run, and the process continues', () => {
  const { status, stdout } = processThat(`
    tool(async () => { Promise.reject(new Error('promise')); });
    tool(async () => { setTimeout(() => { throw new Error('timer'); }, 20); });
    tool(async () => { setTimeout(() => new EventEmitter().emit('error', new Error('emitter')), 40); });
    tool(async () => { setTimeout(() => Promise.reject(undefined), 60); });
    tool(async () => { setTimeout(() => { throw Object.create(null); }, 80); });`);
  expect(stdout.trim().split('\n')).toEqual([
    `${LINE}promise`,
    `${LINE}timer`,
    `${LINE}emitter`,
    `${LINE}undefined`,
    `${LINE}[a value of type object that has no text]`,
    'still here',
  ]);
  expect(status).toBe(0);
});

test('a worker of your own can have that too: the package exports it', () => {
  const { outliveStrayErrors: exported } = reloop;
  expect(exported).toBe(outliveStrayErrors);
});

const after = "outlived(); tool(async () => { throw new Error('not of a tool'); });";
test.each([
  ['an exception', "setTimeout(() => { throw new Error('not of a tool'); }, 20);"],
  ['a rejection', "setTimeout(() => Promise.reject(new Error('not of a tool')), 20);"],
  ['a tool, after the last worker of ours has ended', after],
])('the process ends as Node ends it by what comes from elsewhere: %s', (_what, body) => {
  const { status, stdout, stderr } = processThat(body);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('Error: not of a tool');
});

test("a listener of the user's own decides what ends the process", () => {
  const { status, stdout } = processThat(`
    process.on('uncaughtException', (error) => console.log('mine: ' + error.message));
    setTimeout(() => { throw new Error('x'); }, 20);`);
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'mine: x\nstill here\n' });
});
