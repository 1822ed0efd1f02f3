/** A command line up to the cursor, as a shell that splits words at : and = cannot give it. */
export interface CommandLine {
  /** The words before the one under the cursor, without their quotes. */
  words: string[];
  /** The word under the cursor, without its quotes. */
  current: string;
  /** The same as it is typed. */
  raw: string;
  /** The quote that is open at the cursor. */
  quote: '"' | "'" | '';
}

/** Reads the words of the last command of a line, as a POSIX shell would. */
export function readCommandLine(line: string): CommandLine {
  let words: string[] = [];
  let [current, raw, begun]: [string, string, boolean] = ['', '', false];
  let quote: CommandLine['quote'] = '';
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    const next = line.charAt(at + 1);
    raw += char;
    if (quote === '' && /[\s;&|]/u.test(char)) {
      if (begun) words.push(current);
      if (!/\s/u.test(char)) words = []; // another command starts
      [current, raw, begun] = ['', '', false];
      continue;
    }
    begun = true;
    if (quote === '' && (char === '"' || char === "'")) quote = char;
    else if (char === quote) quote = '';
    else if (char === '\\' && quote !== "'" && next !== '' && (quote === '' || /["\\$`]/u.test(next))) {
      raw += next;
      current += next;
      at++;
    } else current += char;
  }
  return { words, current, raw, quote };
}

/** A word as it is typed after an open quote, or without one. */
function quoted(word: string, quote: CommandLine['quote']): string {
  switch (quote) {
    case "'":
      return word.replaceAll("'", `'\\''`);
    case '"':
      return word.replace(/["\\$`]/gu, '\\$&');
    case '':
      return word.replace(/[^\w@%+=:,./-]/gu, '\\$&');
  }
}

/**
 * Replacement for the part of a word after its last : or = (of `breaks`, bash's COMP_WORDBREAKS): readline replaces
 * only that part.
 */
export function forBash(
  word: string,
  { raw, quote }: Pick<CommandLine, 'raw' | 'quote'>,
  breaks: string,
): string {
  const text = quoted(word, quote);
  if (quote !== '') return text;
  const typed = raw
    .split('')
    .findLastIndex(
      (char, index) => breaks.includes(char) && /[:=@]/u.test(char) && raw.charAt(index - 1) !== '\\',
    );
  return text.slice(typed + 1);
}
