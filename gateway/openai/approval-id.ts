/** A wait for approval: the `n`th wait of a call. */
export interface Approval {
  run: string;
  call: string;
  n: number;
}

/** Id of the output item that asks for the approval. The id says everything, so each gateway can take the answer. */
export function approvalIdOf({ run, call, n }: Approval): string {
  return `mcpr_${run}:${call}:${n}`;
}

/** Undefined for another text. */
export function readApprovalId(id: string): Approval | undefined {
  const [, run, call, n] = /^mcpr_(.+):([\d./]+):(\d+)$/su.exec(id) ?? [];
  return run === undefined || call === undefined ? undefined : { run, call, n: Number(n) };
}
