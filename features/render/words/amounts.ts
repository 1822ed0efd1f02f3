import { sanitizeForTerminal } from '../../../agent/text/sanitize.ts';

export function oneLine(text: string): string {
  return sanitizeForTerminal(text).replace(/\s+/gu, ' ').trim();
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const rest = seconds % 60;
  return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
}

export function count(amount: number, thing: string): string {
  return `${amount.toLocaleString('en-US')} ${thing}${amount === 1 ? '' : 's'}`;
}
