import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second (USER_HZ). */
const MS_PER_TICK = 10;

/** Milliseconds of processor time that a process has used so far, its threads included; NaN where there is no /proc. */
export function processorMs(pid: number): number {
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
