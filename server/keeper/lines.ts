import type { Socket } from 'node:net';

/** Many times what either end ever says. */
const MAX_LINE = 64 * 1024;

/** What the other end says, line by line. One that never ends its line is hung up on; so is one that was lost. */
export function onLine(socket: Socket, handle: (line: string) => void): void {
  let rest = '';
  socket.setEncoding('utf8').on('error', () => socket.destroy());
  socket.on('data', (piece: string) => {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(handle);
    if (rest.length > MAX_LINE) socket.destroy();
  });
}
