import { spawnSync } from 'node:child_process';
import { type PythonOptions, python } from '../../adapters/tools/python/python.ts';
import { type EarlierCall, type ToolContext, ToolError } from '../../adapters/tools/tool.ts';
import { toolContext } from './tool-context.ts';

export const noPython3 = spawnSync('python3', ['--version']).status !== 0;
export const interpreters = noPython3 ? ['pyodide'] : ['pyodide', 'python3'];

let runs = 0;

/** A run that calls a Python tool: each call sees the ones before it. */
export function newRun(options: PythonOptions, earlier: EarlierCall[] = []) {
  const runId = `run-${process.pid}-${runs++}`;
  let tool = python(options);
  let calls = earlier.length;
  const progress: string[] = [];

  async function call(input: string, given: Partial<ToolContext> = {}): Promise<string> {
    const context = toolContext({
      runId,
      callId: `${++calls}.1`,
      earlierCalls: () => Promise.resolve([...earlier]),
      progress: (text) => void progress.push(text),
      ...given,
    });
    const output = await Promise.resolve(tool.run(tool.parseInput(input) as never, context)).catch(
      (error) => {
        if (!(error instanceof ToolError)) throw error;
        return error.message;
      },
    );
    earlier.push({ call: context.callId, toolInput: input, output: String(output) });
    return String(output);
  }
  return {
    call,
    runId,
    progress,
    earlier,
    /** From here on another worker has the run: it knows its history and nothing else. */
    moveToAnotherWorker: () => void (tool = python(options)),
    /** As if the worker had died before the last result was stored. */
    loseLastResult: () => void (earlier.pop(), calls--),
  };
}

/** Code that prints the process group of its interpreter; Pyodide knows it by way of JavaScript only. */
export function printGroup(interpreter: string): string {
  return interpreter === 'pyodide'
    ? 'import js; print(js.setTimeout.constructor("return process")().ppid)'
    : 'import os; print(os.getpgrp())';
}
