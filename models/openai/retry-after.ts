/** Milliseconds from `retry-after-ms`, or from `retry-after` in seconds or as a date. */
export function retryAfter(headers: Headers | undefined): number | undefined {
  const ms = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const text = headers?.get('retry-after') ?? '';
  const wait = /^\s*[\d.]+\s*$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}
