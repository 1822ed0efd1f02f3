/**
 * A process that uses the Python tool, for the tests of what becomes of the interpreter when it ends:
 * `python-parent.ts INTERPRETER loop` never ends by itself, `… finish` has nothing left to do after one call. Both print
 * the interpreter's process group.
 */
import { python } from '../../adapters/tools/python/python.ts';
import { printGroup } from './python-run.ts';
import { toolContext } from './tool-context.ts';

const [interpreter = '', mode] = process.argv.slice(2);
const { run } = python({ interpreter });
const code = printGroup(interpreter);
const group = String(await run(code as never, toolContext()));
if (mode === 'loop') {
  const earlierCalls = () => Promise.resolve([{ call: '1.1', toolInput: code, output: group }]);
  void run('while True: pass' as never, toolContext({ callId: '2.1', earlierCalls }));
}
process.stdout.write(group);
