import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { crashProject } from '../support/crash-rig.ts';
import { type Program, startProgram } from '../support/programs.ts';

/** Programs with Temporal and a worker of their own, on one project's server. */
const project = crashProject({});
const programs: Program[] = [];
afterAll(async () => {
  for (const program of programs) await program.killGroup();
  await project.stop();
});

function start(file: string, ...args: string[]): Program {
  const program = startProgram(file, args, { ...project.env, COUNT_MS: '200' });
  programs.push(program);
  return program;
}

test('a program that was killed goes on with the same id, and pays for nothing twice', async () => {
  const first = start('examples/run-here.ts', 'eight');
  await first.prints('\n3\n');
  await first.killGroup();

  // Its agents are nowhere else.
  const { code, stderr } = await project.run('watch', 'eight');
  expect(code).toBe(2);
  expect(stderr).toContain('This was started by the program examples/run-here.ts');

  const second = start('examples/run-here.ts', 'eight');
  expect({ code: await second.exit, stdout: second.stdout() }).toEqual({
    code: 0,
    stdout: 'Eight, and none of them twice.\n',
  });
  expect(second.stderr()).toMatch(/^8$/mu);
  // The kill may come between the third line and its checkpoint, never before the second one.
  expect(second.stderr()).not.toMatch(/^[12]$/mu);
  expect(second.stderr()).toContain('2 model calls; count was begun 2 times.');
});

test('two programs of a project work side by side, end by themselves or by an error, and leave no server', async () => {
  const left = start('test/fixtures/programs/left.ts');
  const right = start('test/fixtures/programs/right.ts');
  expect({ left: await left.exit, right: await right.exit }).toEqual({ left: 0, right: 1 });
  expect(left.stdout().split('\n').toSorted()).toEqual(['', 'l1 L', 'l2 L', 'l3 L']);
  expect(right.stdout()).toBe('r1 R\nr2 R\nr3 R\nreloop-program:test/fixtures/programs/right.ts\n');
  expect(right.stderr()).toContain('nobody catches this');
  await serverIsGone();
});

/** The keeper removes the record of its server when that has ended. */
async function serverIsGone(): Promise<void> {
  const record = join(project.state, 'server.json');
  for (;;) {
    try {
      readFileSync(record);
    } catch {
      return;
    }
    await sleep(100);
  }
}
