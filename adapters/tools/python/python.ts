import { resolve } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Json } from '../../../agent/values/vocabulary.ts';
import { PythonEnded } from './channel.ts';
import { hostLaunch } from './host.ts';
import { type PythonProcess, startPython } from './process.ts';
import { pyodideLaunch } from './pyodide.ts';
import { requirePackage } from '../optional-package.ts';
import { type Tool, type ToolContext, type ToolOptions, ToolError, defineTool } from '../tool.ts';
import { checkWhole } from '../whole-number.ts';
import { madeBy } from '../same-tool.ts';

export interface PythonOptions extends Partial<ToolOptions> {
  /** `pyodide` (default): needs no Python, but the package of that name: `npm install pyodide`. `python3`, or the path of an interpreter: all that Python can do, with your rights. */
  interpreter?: 'pyodide' | 'python3' | (string & {});
  /** Memory of one interpreter in MB, at least 64; with Pyodide its files count, too. Default 512. */
  memoryMb?: number;
}

const defaults = {
  name: 'python',
  description:
    'A Python shell that keeps variables and functions between calls. The input is Python code. ' +
    'Only printed text comes back, so print what you want to see.',
  timeout: '60s',
  effects: 'idempotent',
} as const;

/** A Pyodide takes about 160 MB, and comes back from its calls in a second. */
const MAX_IDLE = 4;
const IDLE_MS = 10 * 60_000;

/**
 * A Python shell whose state lasts for the run: one interpreter per run, in a separate process. Where it is gone
 * (crash, kill, another worker), the code of the run's earlier calls is run again to get its state back.
 */
export function python({ interpreter = 'pyodide', memoryMb = 512, ...options }: PythonOptions = {}): Tool {
  const start = starter(interpreter, memoryMb);
  const idle = idleShells();

  const tool = defineTool({
    ...defaults,
    ...options,
    async run(input, context) {
      const earlier = (await context.earlierCalls()).map(({ call, toolInput, output }) => ({
        cell: { call, code: codeOf(tool, toolInput) },
        output,
      }));
      const shell = take(idle, context.runId, earlier) ?? (await restore(earlier, start, context));
      const printed = await runCell(shell, { call: context.callId, code: stripFence(input) }, context.signal);
      idle.set(context.runId, shell);
      return printed;
    },
  });
  return madeBy(python, { interpreter, memoryMb, ...options }, tool);
}

/** One call's code. */
interface Cell {
  call: string;
  code: string;
}

interface EarlierCell {
  cell: Cell;
  output: Json;
}

/** An interpreter and all it has run. */
interface Shell {
  process: PythonProcess;
  ran: Cell[];
}

type Start = (context: ToolContext) => Promise<PythonProcess>;

function starter(interpreter: string, memoryMb: number): Start {
  checkWhole('python: memoryMb', memoryMb, { unit: 'megabytes', min: 64 });
  if (interpreter === 'pyodide') requirePackage('pyodide', 'python()');
  const memoryBytes = memoryMb * 1024 * 1024;
  return async (context) => {
    context.progress('starting Python');
    const launch =
      interpreter === 'pyodide'
        ? await pyodideLaunch(memoryBytes)
        : hostLaunch(interpreter.includes('/') ? resolve(interpreter) : interpreter);
    return startPython(launch, { seed: context.runId, memoryBytes }, context.signal);
  };
}

/** Shells that no call is using, by run. One that is in use is not in here and cannot be evicted. */
function idleShells(): LRUCache<string, Shell> {
  return new LRUCache<string, Shell>({
    max: MAX_IDLE,
    ttl: IDLE_MS,
    ttlAutopurge: true,
    dispose: (shell, _runId, reason) => {
      if (reason !== 'delete') shell.process.end();
    },
  });
}

/** The run's idle shell, if it has run exactly what the run's history says. */
function take(idle: LRUCache<string, Shell>, runId: string, earlier: EarlierCell[]): Shell | undefined {
  const shell = idle.get(runId);
  if (shell === undefined) return undefined;
  idle.delete(runId);
  const same = JSON.stringify(shell.ran) === JSON.stringify(earlier.map(({ cell }) => cell));
  if (same && shell.process.alive()) return shell;
  shell.process.end();
  return undefined;
}

/** A fresh shell that has run the earlier calls again, without those that ended Python themselves. */
async function restore(earlier: EarlierCell[], start: Start, context: ToolContext): Promise<Shell> {
  const process = await start(context);
  for (const { cell, output } of earlier) {
    if (output === ENDED) continue;
    context.progress(`restoring Python: running call ${cell.call} again`);
    await process.run(cell.code, context.signal).catch((error: unknown) => {
      if (!(error instanceof PythonEnded)) throw error;
      throw new Error(`Python ended when call ${cell.call} was run again to restore the state of this run.`);
    });
  }
  return { process, ran: earlier.map(({ cell }) => cell) };
}

const ENDED =
  'Python ended while it ran this code (a crash, an exit, or too deep recursion). ' +
  'What the calls before it defined is still there; change the code before you run it again.';

async function runCell({ process, ran }: Shell, cell: Cell, signal: AbortSignal): Promise<string> {
  // Noted before it runs: should its result be lost, this shell is seen to differ from history.
  ran.push(cell);
  try {
    return await process.run(cell.code, signal);
  } catch (error) {
    throw error instanceof PythonEnded ? new ToolError(ENDED) : error;
  }
}

/** '' for an input that was refused then: it ran nothing. */
function codeOf(tool: Tool, toolInput: Json): string {
  try {
    return stripFence(String(tool.parseInput(toolInput)));
  } catch {
    return '';
  }
}

/**
 * Models like to wrap code as Markdown, or to write first that it is Python; text after a closed fence is talk. Each
 * pattern has one way to match, so that no input takes long.
 */
export function stripFence(input: string): string {
  const code = fenced(input) ?? /^\s*`([^`]*)`\s*$/u.exec(input)?.[1] ?? input;
  return code.replace(/^\s*(?:python3?[^\S\n]*)?\n/iu, '').trimEnd();
}

function fenced(input: string): string | undefined {
  const opening = /^\s*`{3,}(?:(?:python3?|py)\b)?[^\S\n]*\n?/iu.exec(input);
  if (opening === null) return undefined;
  const rest = input.slice(opening[0].length);
  const line = rest.search(/\n[^\S\n]*```/u);
  return rest.slice(0, line < 0 ? closingAtEnd(rest) : Math.min(line, closingAtEnd(rest)));
}

/** Index of the backticks at the end if they are a fence's, otherwise of the end. */
function closingAtEnd(text: string): number {
  const end = text.trimEnd().length;
  let start = end;
  while (text[start - 1] === '`') start--;
  return end - start >= 3 ? start : text.length;
}
