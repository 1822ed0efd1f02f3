/**
 * Milliseconds from `retry-after-ms`, which OpenAI and Azure send, or from `retry-after`. LiteLLM's proxy passes on the
 * headers of the provider behind it as `llm_provider-…`, these two only so (1.106).
 */
export function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  for (const prefix of ['', 'llm_provider-']) {
    const ms = headers?.get(`${prefix}retry-after-ms`)?.trim() ?? '';
    if (/^\d+(\.\d+)?$/u.test(ms) && Number.isFinite(Number(ms))) return Math.round(Number(ms));
    const wait = parseRetryAfter(headers?.get(`${prefix}retry-after`), now);
    if (wait !== undefined) return wait;
  }
  return undefined;
}

/**
 * Milliseconds from a refusal's body, for providers without the header: Gemini's `RetryInfo` (`"retryDelay": "58s"`), "Please try again
 * in 6m0s" of OpenAI and Groq, and "Please retry after 26 seconds" of Azure.
 */
export function waitIn(said: string): number | undefined {
  const delay = /\bretryDelay\\*"\s*:\s*\\*"([\d.ms]{1,30})\\*"/u.exec(said);
  const words =
    /\b(?:retry|try again) (?:in|after) ((?:\d+(?:\.\d+)? ?(?:ms|milliseconds?|s|sec(?:ond)?s?|m|min(?:ute)?s?|h|hours?)(?![a-z]) ?){1,4})/iu.exec(
      said,
    );
  const text = (delay ?? words)?.[1]
    ?.replaceAll(' ', '')
    .replaceAll(/milliseconds?|[a-z]+/giu, (unit) => (/^mi?(?:lli)?s/iu.test(unit) ? 'ms' : unit.slice(0, 1)))
    .toLowerCase();
  return text === undefined ? undefined : durationMs(text);
}

const UNITS: { readonly [unit: string]: number } = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of `6m0s`, `1.5s` or `20ms`; undefined for any other text. */
export function durationMs(text: string): number | undefined {
  if (!/^(\d{1,15}(\.\d{1,15})?(ms|s|m|h|d))+$/u.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)(ms|[smhd])/gu)];
  return Math.ceil(parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0));
}

/**
 * Milliseconds from the header `Retry-After` at the time `now`, 0 for a date that has passed. undefined for a value
 * that is neither a number of seconds nor a date of RFC 9110 (section 5.6.7). Some servers write fractions of a second.
 */
function parseRetryAfter(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const wait = /^\d+(\.\d+)?$/u.test(text) ? Number(text) * 1000 : httpDate(text, now) - now;
  return Number.isFinite(wait) ? Math.max(0, Math.round(wait)) : undefined;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TIME = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)`;
const DATES = [
  String.raw`\w{3}, (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) ${TIME} GMT`, // Sun, 06 Nov 1994 08:49:37 GMT
  String.raw`\w{6,9}, (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) ${TIME} GMT`, // Sunday, 06-Nov-94 08:49:37 GMT
  String.raw`\w{3} (?<month>\w{3}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})`, // Sun Nov  6 08:49:37 1994
].map((form) => new RegExp(`^${form}$`, 'iu'));

/** NaN for a value that is not a date. */
function httpDate(text: string, now: number): number {
  const parts = DATES.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined);
  const month = MONTHS.indexOf(parts?.['month']?.toLowerCase() ?? '');
  if (parts === undefined || month === -1) return Number.NaN;
  const { day, hour, minute, second, year } = parts;
  return Date.UTC(
    wholeYear(year ?? '', now),
    month,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  );
}

/** Two digits that seem to be more than 50 years ahead are a year of the past. */
function wholeYear(year: string, now: number): number {
  if (year.length === 4) return Number(year);
  const current = new Date(now).getUTCFullYear();
  const near = current - (current % 100) + Number(year);
  return near > current + 50 ? near - 100 : near;
}
