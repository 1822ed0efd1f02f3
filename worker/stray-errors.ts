import { type ToolScope, toolScope } from '../activities/tool/tool-scope.ts';
import { boundedText, fieldOf } from '../agent/values/values.ts';
import { limits } from '../agent/values/limits.ts';

/**
 * Logs an error that a tool left behind (a promise that is not awaited, a timer, an emitter without a listener) and
 * that comes after the call has ended, with the tool and the call. Node would end the process, and with it the calls of
 * every other run. Errors from elsewhere end the process as ever. Returns a function that removes the guard.
 *
 * `reloop worker`, `dev` and `run` have the guard. A process with your own worker (`createWorker`, `ReloopPlugin`)
 * asks for it once, before its worker runs:
 *
 *     const dispose = outliveStrayErrors(console.warn);
 *     await worker.run().finally(dispose);
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

/** Loggers of the workers of this process; the first one's is used for all. */
const lines: ((line: string) => void)[] = [];

function install(): void {
  process.on('uncaughtException', onException);
  process.on('unhandledRejection', onRejection);
}

function uninstall(): void {
  process.off('uncaughtException', onException);
  process.off('unhandledRejection', onRejection);
}

const onException = (error: unknown) => onStray(error, 'uncaughtException');
const onRejection = (reason: unknown) => onStray(reason, 'unhandledRejection');

function onStray(error: unknown, event: 'uncaughtException' | 'unhandledRejection'): void {
  const scope = toolScope();
  if (scope !== undefined) {
    lines[0]?.(strayLine(scope, error));
    return;
  }
  // Another listener decides.
  if (process.listenerCount(event) > 1) return;
  uninstall();
  // Thrown where no code catches it, so that Node reacts as it would without the guard.
  process.nextTick(() => {
    throw error;
  });
}

function strayLine({ tool, call, run }: ToolScope, error: unknown): string {
  const message = fieldOf(error, 'message');
  const said = boundedText(typeof message === 'string' ? message : error, limits.errorChars);
  const words = `warn: ${tool} (${call}), run ${run}: an error of the tool came after its call had ended: ${said}`;
  return words.replace(/\s+/gu, ' ');
}
