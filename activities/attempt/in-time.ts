import { limits } from '../../agent/values/limits.ts';

/** Waits for the answer of a user's function. Rejects after 30 s (`limits.approvalMs`) with a sentence about what the function did not do. */
export async function inTime(answer: Promise<unknown>, omission: string): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    const message = `it ${omission} within ${limits.approvalMs / 1000} s.`;
    timer = setTimeout(() => reject(new Error(message)), limits.approvalMs);
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
