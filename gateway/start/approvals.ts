/** The `n`th wait of a call, for a client that answers it: with an approval, or with the result of its own tool. */
export interface Approval {
  run: string;
  call: string;
  n: number;
}

/** Id of a wait for clients of a protocol. The id says everything, so each gateway can take the answer. */
export function approvalId({ run, call, n }: Approval): string {
  return `${run}:${call}:${n}`;
}

/** Undefined for another text. */
export function readApproval(id: string): Approval | undefined {
  const [, run, call, n] = /^(.+):([\d./]+):(\d+)$/su.exec(id) ?? [];
  return run === undefined || call === undefined ? undefined : { run, call, n: Number(n) };
}
