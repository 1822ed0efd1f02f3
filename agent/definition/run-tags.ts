const MOST_TAGS = 20;
const MOST_CHARS = 100;

/** The rule for the tags of a run, for errors. */
export const TAGS_RULE = `a list of 1 to ${MOST_TAGS} texts of 1 to ${MOST_CHARS} characters, without quotes, backslashes and control characters`;

/** Returns true for the tags of a run. Temporal on SQL does not find a value with a quote or a backslash. */
export function areTags(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length >= 1 && value.length <= MOST_TAGS && value.every(isTag);
}

function isTag(value: unknown): boolean {
  if (typeof value !== 'string' || value.trim() === '' || value.length > MOST_CHARS) return false;
  return !/["\\\p{Cc}]/u.test(value);
}
