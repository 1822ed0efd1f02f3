import { type Output, columnsOf } from './io.ts';

/** An output whose width is known, and whose first write error is kept. */
export interface CheckedOutput extends Output {
  /** Waits for all writes; resolves with the first error, but not for a reader that has gone (EPIPE). */
  written(): Promise<Error | undefined>;
}

/** Wraps stdout or stderr. All commands write through this wrapper, so that no printer has to check either. */
export function checkedOutput(output: Output): CheckedOutput {
  let lost: Error | undefined;
  const onWritten = (error?: Error | null) => {
    lost ??= error ?? undefined;
  };
  return {
    write: (text) => output.write(text, onWritten),
    get isTTY() {
      return output.isTTY;
    },
    get columns() {
      const { columns, isTTY } = output;
      return columns === 0 || (columns === undefined && isTTY === true) ? columnsOf(output) : columns;
    },
    get rows() {
      return output.rows === 0 ? undefined : output.rows;
    },
    on: (event, listener) => output.on?.(event, listener),
    async written() {
      await new Promise<void>((resolve) => void output.write('', () => resolve()));
      return lost !== undefined && 'code' in lost && lost.code === 'EPIPE' ? undefined : lost;
    },
  };
}
