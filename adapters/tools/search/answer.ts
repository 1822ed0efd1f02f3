import { fieldsOf } from '../../../agent/values/json-object.ts';
/** A part of SerpAPI's answer. Engines and years differ in their fields, so every field is optional. */
interface Fields {
  readonly [name: string]: unknown;
}

const MAX_ITEMS = 10;

/**
 * The answer that SerpAPI's body gives: the first of `order` that has something to say; undefined if none has. Lists and
 * objects are JSON text, of lists the first ten items, without links, pictures and ids.
 */
export function pickAnswer(body: Fields): string | undefined {
  for (const pick of order) {
    const answer = pick(body);
    if (answer !== undefined) return answer;
  }
}

const order: readonly ((body: Fields) => string | undefined)[] = [
  ({ answer_box }) => directAnswer(fieldsOf(Array.isArray(answer_box) ? answer_box[0] : answer_box)),
  ({ sports_results }) => asJson(plain(sports_results)),
  ({ top_stories }) => asJson(plain(top_stories)),
  ({ news_results }) => asJson(plain(news_results)),
  ({ events_results }) => asJson(plain(events_results)),
  ({ shopping_results }) => asJson(plain(shopping_results)),
  ({ knowledge_graph, organic_results }) =>
    asJson([...facts(fieldsOf(knowledge_graph)), ...snippets(organic_results)]),
  ({ local_results }) => asJson(plain(fieldsOf(local_results)['places'] ?? local_results)),
  ({ related_questions }) => asJson(plain(related_questions)),
];

function directAnswer(box: Fields): string | undefined {
  const { answer, result, snippet, snippet_highlighted_words, list, definitions, title: _, ...rest } = box;
  const said = textOf(answer) ?? textOf(result) ?? textOf(snippet);
  if (said !== undefined) return said;
  for (const words of [answer, snippet_highlighted_words, list, definitions]) {
    const listed = asJson(plain(words));
    if (listed !== undefined) return listed;
  }
  // A title, a type and links alone are a hint where an answer might be.
  return asJson(plain({ ...rest, type: undefined })) === undefined ? undefined : asJson(plain(box));
}

/** 'Ada Lovelace: Mathematician', her description, and a sentence for each plain field. */
function facts({ title, type, description, ...rest }: Fields): string[] {
  const name = textOf(title);
  if (name === undefined) return [];
  const kind = textOf(type);
  const about = textOf(description);
  return [
    ...(kind === undefined ? [] : [`${name}: ${kind}`]),
    ...(about === undefined ? [] : [about]),
    ...Object.entries(fieldsOf(plain(rest)))
      .filter(([, value]) => textOf(value) !== undefined)
      .map(([field, value]) => `${name} ${field.replaceAll('_', ' ')}: ${textOf(value)}`),
  ];
}

function snippets(results: unknown): string[] {
  const items: unknown[] = Array.isArray(results) ? results.slice(0, MAX_ITEMS) : [];
  return items.flatMap((item) => {
    const { snippet, snippet_highlighted_words: words } = fieldsOf(item);
    const said = textOf(snippet) ?? (Array.isArray(words) ? words.join(', ') : '');
    return said === '' ? [] : [said];
  });
}

/** Keys that say nothing to a reader of words. */
const UNSAID =
  /(?:^|_)(?:links?|images?|thumbnails?|icon|logo|favicon|stick|kgmid|id|token|position|chart)$|^serpapi_/;

/** The same without links, pictures, ids and emptiness; undefined if nothing is left. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(plain).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items.slice(0, MAX_ITEMS);
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .filter(([key]) => !UNSAID.test(key))
      .map(([key, field]) => [key, plain(field)] as const)
      .filter(([, field]) => field !== undefined);
    return entries.length === 0 ? undefined : Object.fromEntries(entries);
  }
  if (typeof value === 'boolean') return value;
  const text = textOf(value);
  return text === undefined || /^https?:/.test(text) ? undefined : value;
}

/** undefined for nothing, and for an empty list. */
function asJson(value: unknown): string | undefined {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return undefined;
  return JSON.stringify(value);
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
