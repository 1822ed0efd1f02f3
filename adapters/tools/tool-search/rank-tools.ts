import { abbreviationsIn, initialsOf, searchWords } from './search-words.ts';

interface Described {
  name: string;
  description: string;
}

/** BM25's usual values: the worth of a repeated word, and the price of a long description. */
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;
/** Words of the description that one of the name counts as. */
const NAME_WEIGHT = 3;

/**
 * The tools that have words of the query, best first by BM25, in their given order where they are equally good. Written by hand: a package
 * would have to be installed by each project, and this needs one of its functions.
 */
export function rankTools<T extends Described>(query: string, tools: readonly T[]): T[] {
  const asked = askedWords(query);
  const texts = tools.map(({ name, description }) => {
    const counts = new Map<string, number>();
    const add = (word: string, weight: number) => counts.set(word, (counts.get(word) ?? 0) + weight);
    for (const word of searchWords(name)) add(word, NAME_WEIGHT);
    for (const word of searchWords(description)) add(word, 1);
    const length = [...counts.values()].reduce((sum, count) => sum + count, 0);
    for (const word of initialsOf(name)) add(`${SHORT}${word}`, NAME_WEIGHT);
    return { counts, length };
  });
  const usual = texts.reduce((sum, { length }) => sum + length, 0) / Math.max(1, texts.length);
  const rarity = new Map(
    asked.map((word) => {
      const having = texts.filter(({ counts }) => counts.has(word)).length;
      return [word, Math.log(1 + (texts.length - having + 0.5) / (having + 0.5))];
    }),
  );
  const scoreOf = ({ counts, length }: (typeof texts)[number]) =>
    asked.reduce((sum, word) => {
      const count = counts.get(word) ?? 0;
      const damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * (length / usual));
      return sum + ((rarity.get(word) ?? 0) * count * (SATURATION + 1)) / (count + damping);
    }, 0);
  return tools
    .map((tool, place) => ({ tool, score: scoreOf(texts[place] ?? { counts: new Map(), length: 0 }) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .map(({ tool }) => tool);
}

/** Written before an abbreviation that stands for words of a name: nobody asks with it by chance. */
const SHORT = '*';

/** A query of whole words finds their abbreviation as well, and one in capitals the words of a name that it stands for. */
function askedWords(query: string): string[] {
  const short = abbreviationsIn(query).map((word) => `${SHORT}${word}`);
  return [...new Set([...searchWords(query), ...initialsOf(query), ...short])];
}
