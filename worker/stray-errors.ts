import { type ToolScope, toolScope } from '../activities/tool-scope.ts';
import { boundedText, fieldOf } from '../agent/values.ts';
import { limits } from '../agent/limits.ts';

/**
 * What a tool left behind (a promise that nobody waited for, a timer, an emitter without a listener) fails when the call
 * is long over. Node would end the process, and with it every other run's calls: it is logged instead, with the tool
 * and the call it came from. What comes from elsewhere ends the process as ever. Returns what takes this back.
 *
 * `reloop worker`, `dev` and `run` have it. A process with a worker of your own (`createWorker`, `ReloopPlugin`) has it if
 * it asks for it, once and before its worker runs:
 *
 *     const takeBack = outliveStrayErrors(console.warn);
 *     await worker.run().finally(takeBack);
 */
export function outliveStrayErrors(onLine: (line: string) => void): () => void {
  lines.push(onLine);
  if (lines.length === 1) install();
  let installed = true;
  return () => {
    if (!installed) return;
    installed = false;
    lines.splice(lines.indexOf(onLine), 1);
    if (lines.length === 0) uninstall();
  };
}

/** Of the workers of this process; the first one's speaks for all. */
const lines: ((line: string) => void)[] = [];

function install(): void {
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
}

function uninstall(): void {
  process.off('uncaughtException', onException);
  process.off('unhandledRejection', onRejection);
}

function onException(error: unknown): void {
  onStray(error, 'uncaughtException');
}

function onRejection(reason: unknown): void {
  onStray(reason, 'unhandledRejection');
}

function onStray(error: unknown, event: 'uncaughtException' | 'unhandledRejection'): void {
  const scope = toolScope();
  if (scope !== undefined) {
    lines[0]?.(strayLine(scope, error));
    return;
  }
  // Somebody else listens too, and decides.
  if (process.listenerCount(event) > 1) return;
  uninstall();
  // Thrown where nobody catches it, so that Node says and does what it would have without us.
  process.nextTick(() => {
    throw error;
  });
}

function strayLine({ tool, call, run }: ToolScope, error: unknown): string {
  const message = fieldOf(error, 'message');
  const said = boundedText(typeof message === 'string' ? message : error, limits.errorChars);
  const words = `warn: ${tool} (${call}), run ${run}: something that the tool left behind failed, and nobody waits for it: ${said}`;
  return words.replace(/\s+/gu, ' ');
}
