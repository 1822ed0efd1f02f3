import { dirname } from 'node:path';
import type { EmbeddedServer } from '../../local/server/server.ts';

const LOOK_MS = 2_000;

/** Says when the Temporal server has ended and was started again. Returns the function that stops the watch. */
export function watchServer(
  { pid, dbFile }: EmbeddedServer,
  onSay: (text: string) => void,
  lookMs = LOOK_MS,
): () => void {
  let known = pid;
  const look = async () => {
    const { runningServer } = await import('../../local/server/server.ts');
    const now = (await runningServer(dirname(dbFile)))?.pid;
    if (now === undefined || now === known) return;
    onSay(
      `The Temporal server (process ${known}) ended on its own, and was started again as process ${now}.`,
    );
    known = now;
  };
  // A record that cannot be read is looked at again.
  const timer = setInterval(() => void look().catch(() => undefined), lookMs);
  timer.unref();
  return () => clearInterval(timer);
}
