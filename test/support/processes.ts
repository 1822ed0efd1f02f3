import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessRow {
  pid: number;
  group: number;
}

/** All processes of this machine. */
export function processes(): ProcessRow[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,pgid='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [pid, group] = line.trim().split(/\s+/u).map(Number);
    return pid === undefined || group === undefined ? [] : [{ pid, group }];
  });
}

/** Whether any process of a group is there. */
export function alive(group: number): boolean {
  return processes().some((row) => row.group === group);
}

/** Resolves when `condition` holds; the test's own time-out is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}
