import { bad } from '../http/read-body.ts';

const HEADER = 'x-ai-sdk';

/** The first `ai` that knows `reset-step`, `steering-message`, `tool-approval-response` and the finish reason `interrupted`. Version 6 refuses a stream that has one of them. */
const NEWER = [7, 0, 163] as const;

/** Reads from the header with the version of the page's `ai` if the page knows the newer chunks. A page without it is of version 6. Throws Refused. */
export function knowsNewerChunks(headers: Headers): boolean {
  const sent = headers.get(HEADER);
  if (sent === null) return false;
  const numbers = /^(\d+)\.(\d+)\.(\d+)(?:[-+].*)?$/u.exec(sent)?.slice(1).map(Number);
  if (numbers === undefined) {
    throw bad('The header X-AI-SDK has the version of the package ai of the page, such as 7.0.163.');
  }
  const difference = NEWER.map((least, index) => (numbers[index] ?? 0) - least).find((part) => part !== 0);
  return (difference ?? 0) >= 0;
}
