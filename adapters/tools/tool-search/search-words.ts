/** Characters of the scripts that put no spaces between words. */
const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}`;
const RUN = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');
/** Numbers of words of an abbreviation: `vm`, `sla`, `gdpr`. */
const LENGTHS = [2, 3, 4];

/**
 * Words in lower case, those of `camelCase`, `HTTPServer` and `snake_case` apart, without the end that a plural changes. A script that puts no spaces
 * between words has pairs of characters in their place.
 */
export function searchWords(text: string): string[] {
  return plainWords(text).flatMap((word) =>
    (word.match(RUN) ?? []).flatMap((run) => (IS_UNSPACED.test(run) ? pairsOf(run) : [stemOf(run)])),
  );
}

/** Abbreviations of neighbouring words: `vm` for `list_virtual_machines`. */
export function initialsOf(text: string): string[] {
  const firsts = plainWords(text).map((word) => Array.from(word)[0] ?? '');
  return firsts.flatMap((_, from) =>
    LENGTHS.filter((length) => from + length <= firsts.length).map((length) =>
      firsts.slice(from, from + length).join(''),
    ),
  );
}

/** Words that are written as abbreviations, in lower case: `vm` for `VM` and `VMs`. */
export function abbreviationsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\p{L}\p{N}])(\p{Lu}{2,4})s?(?![\p{L}\p{N}])/gu)].map(([, word = '']) =>
    word.toLowerCase(),
  );
}

function plainWords(text: string): string[] {
  const words = text
    .normalize('NFKC')
    .replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/gu, ' ')
    .toLowerCase();
  return words.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** The same for `company` and `companies`, `box` and `boxes`, `status` and `statuses`. It need not be a word. */
function stemOf(word: string): string {
  const withoutE = withoutS(word).replace(/(?<=[sxz]|[cs]h)e$/u, '');
  return withoutS(withoutE).replace(/(?:ie|y)$/u, 'i');
}

function withoutS(word: string): string {
  return word.length > 2 ? word.replace(/(?<!s)s$/u, '') : word;
}
