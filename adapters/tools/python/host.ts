import { readFileSync } from 'node:fs';
import type { Launch } from './process.ts';

export const replSource = readFileSync(new URL('repl.py', import.meta.url), 'utf8');

/** An installed Python. It has the rights of the worker's user; only environment, folder and memory are its own. */
export function hostLaunch(command: string): Launch {
  return {
    name: command,
    command,
    args: ['-c', source],
    // PATH to find the interpreter; fixed hashes, so that a state that is built again has its sets in the same order.
    env: { PATH: process.env['PATH'] ?? '', PYTHONHASHSEED: '0' },
  };
}

const source = `${replSource}
def serve():
    os.set_inheritable(3, False)
    requests, replies = open(3, 'rb', closefd=False), open(3, 'wb', closefd=False)
    owner = os.getpid()
    for line in requests:
        reply = answer(line)
        if os.getpid() != owner:
            os._exit(0)  # a fork made by the code must not answer in its parent's place
        replies.write(reply.encode() + b'\\n')
        replies.flush()

serve()
`;
