/** The known name that a mistyped one is meant for: `chat_history` for `chatHistory`. undefined: none is near. */
export function nearName(name: string, known: readonly string[]): string | undefined {
  const typed = letters(name);
  const near = known
    .map((one) => ({ one, edits: editsBetween(typed, letters(one)) }))
    .filter(({ one, edits }) => edits <= Math.min(MOST_EDITS, Math.ceil(letters(one).length / 3)))
    .toSorted((a, b) => a.edits - b.edits);
  return near[0]?.one;
}

const MOST_EDITS = 3;
/** Longer names are not typing errors, and not worth the time. */
const MOST_CHARS = 40;

/** The name without case, blanks, `_` and `-`. */
function letters(name: string): string {
  return name
    .slice(0, MOST_CHARS)
    .toLowerCase()
    .replaceAll(/[\s_-]/gu, '');
}

/** Characters to insert, delete or replace (Levenshtein). */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
