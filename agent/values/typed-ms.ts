const UNITS: { readonly [unit: string]: number } = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/**
 * Milliseconds of a typed duration: 30s, 10m, 1h, 250ms, or a plain number of milliseconds; undefined for anything
 * else.
 */
export function typedMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/u.exec(text.trim());
  const factor = UNITS[match?.[2] ?? 'ms'];
  return match === null || factor === undefined ? undefined : Number(match[1]) * factor;
}
