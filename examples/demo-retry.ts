/** `npm run demo:retry`: a tool call that failed for good waits until somebody has mended what was wrong. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ends, reloop, reloopDecides, says } from './command.ts';
import { reportFile } from './demos.config.ts';

const id = `demo-retry-${Date.now()}`;
mkdirSync(dirname(reportFile), { recursive: true });
rmSync(reportFile, { force: true });

const run = reloop('run', 'reader', 'What does the report say?', '--id', id);
const ended = ends(run);
await says(run, /waiting/iu);
console.error(
  '\nThe report is missing, and the run waits. Now somebody writes it, and has the call run again.',
);
writeFileSync(reportFile, 'Sales rose by a tenth.\n');
await ends(reloopDecides('retry', id, '1.1'));
process.exitCode = (await ended) ?? 1;
