import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from './cli.ts';

/**
 * `npm run check`: all its steps at once, since most of them keep one processor busy. What a step says is printed when it has
 * ended, so that it stands together. Exit code 1 when any step fails.
 */
const STEPS = ['format', 'lint', 'types', 'unused', 'package', 'licences'].map((name) => `check:${name}`);

async function succeeds(step: string): Promise<boolean> {
  const child = spawn('npm', ['run', step, '--silent'], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  }
  const [code] = (await once(child, 'close')) as [number | null]; // Node's own event
  process.stdout.write(`${printed}${code === 0 ? '' : `npm run ${step} has failed.\n`}`);
  return code === 0;
}

const succeeded = await Promise.all(STEPS.map(succeeds));
process.exitCode = succeeded.every(Boolean) ? 0 : 1;
