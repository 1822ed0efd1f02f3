import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second (USER_HZ). */
const MS_PER_TICK = 10;

/** Milliseconds of processor time that each process uses while `work` runs, its threads included; NaN where there is no /proc. */
export async function processorMsDuring(
  pids: readonly number[],
  work: () => Promise<unknown>,
): Promise<number[]> {
  const before = pids.map(processorMs);
  await work();
  return pids.map((pid, index) => processorMs(pid) - Number(before[index]));
}

function processorMs(pid: number): number {
  try {
    // Behind the name, which may have blanks: state, 10 others, utime, stime.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /su, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
  } catch {
    return Number.NaN;
  }
}
