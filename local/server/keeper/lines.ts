import type { Socket } from 'node:net';

/** Many times the longest real line. */
const MAX_LINE = 64 * 1024;

/** Calls `handle` for each line from the other end. Hangs up if a line has no end, and if the connection was lost. */
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
