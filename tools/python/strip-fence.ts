/**
 * Models like to wrap code as Markdown, or to say first that it is Python; what follows a closed fence is talk. Each
 * pattern has one way to match, so that no input takes long.
 */
export function stripFence(input: string): string {
  const code = fenced(input) ?? /^\s*`([^`]*)`\s*$/u.exec(input)?.[1] ?? input;
  return code.replace(/^\s*(?:python3?[^\S\n]*)?\n/iu, '').trimEnd();
}

function fenced(input: string): string | undefined {
  const opening = /^\s*`{3,}(?:(?:python3?|py)\b)?[^\S\n]*\n?/iu.exec(input);
  if (opening === null) return undefined;
  const rest = input.slice(opening[0].length);
  const line = rest.search(/\n[^\S\n]*```/u);
  return rest.slice(0, line < 0 ? closingAtEnd(rest) : Math.min(line, closingAtEnd(rest)));
}

/** Where the backticks at the end begin, if they are a fence's; else the end. */
function closingAtEnd(text: string): number {
  const end = text.trimEnd().length;
  let start = end;
  while (text[start - 1] === '`') start--;
  return end - start >= 3 ? start : text.length;
}
