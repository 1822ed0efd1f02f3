import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Something that a module exports, as its declaration file has it. */
export interface Declaration {
  name: string;
  kind: 'value' | 'type';
  /** The comment before it, as text. */
  said: string;
  code: string;
  /** Its declaration file. */
  file: string;
}

/** What a declaration file exports under which name, and where it is declared: its own, and what it passes on. */
export function exportsOf(file: string): Declaration[] {
  const text = readFileSync(file, 'utf8');
  const passedOn = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from '(\.[^']+)';$/gmu)].flatMap(
    ([, names = '', from = '']) => pairsOf(names).flatMap(([name, as]) => find(target(file, from), name, as)),
  );
  const all = [...text.matchAll(/^export \* from '(\.[^']+)';$/gmu)].flatMap(([, from = '']) =>
    exportsOf(target(file, from)),
  );
  const own = [...text.matchAll(/^export (?:declare )?(?:abstract )?\w+ (\w+)/gmu)].flatMap(([, name = '']) =>
    declarationsIn(file, text, name),
  );
  return uniqueByName([...all, ...passedOn, ...own]);
}

/** The declaration of a name that a file uses: its own, or what it imports from beside it. */
export function usedIn(file: string, name: string): Declaration | undefined {
  const text = readFileSync(file, 'utf8');
  const [own] = declarationsIn(file, text, name);
  if (own !== undefined) return own;
  for (const [, names = '', from = ''] of text.matchAll(
    /^import (?:type )?\{([^}]*)\} from '(\.[^']+)';$/gmu,
  )) {
    const [imported] = pairsOf(names).find(([, as]) => as === name) ?? [];
    if (imported !== undefined) return find(target(file, from), imported, name)[0];
  }
  return undefined;
}

function find(file: string, name: string, as: string): Declaration[] {
  const text = readFileSync(file, 'utf8');
  const own = declarationsIn(file, text, name);
  const found = own.length > 0 ? own : exportsOf(file).filter((declaration) => declaration.name === name);
  return found.map((declaration) => ({ ...declaration, name: as }));
}

/** One, or for a function as many as it has signatures, joined. */
function declarationsIn(file: string, text: string, name: string): Declaration[] {
  const start = new RegExp(
    `^(/\\*\\*(?:(?!\\*/)[^])*\\*/\\n)?(?:export )?(?:declare )?(?:abstract )?(class|interface|function|const|type) ${name}\\b`,
    'gmu',
  );
  const found = [...text.matchAll(start)];
  const [first] = found;
  if (first === undefined) return [];
  const [, comment = '', keyword = ''] = first;
  const code = found.map((match) => {
    const [all, before = ''] = match;
    return declarationAt(text, match.index + before.length, all.length - before.length);
  });
  const kind = keyword === 'interface' || keyword === 'type' ? 'type' : 'value';
  return [{ name, kind, said: proseOf(comment), code: code.join('\n'), file }];
}

/** From its first character to the `;` or `}` that ends it. */
function declarationAt(text: string, start: number, headLength: number): string {
  let depth = 0;
  for (let index = start + headLength; index < text.length; index++) {
    const rest = text.slice(index, index + 2);
    if (rest === '/*') index = text.indexOf('*/', index) + 1;
    else if (rest === '//') index = text.indexOf('\n', index);
    else if (rest.startsWith("'")) index = text.indexOf("'", index + 1);
    else if ('{([<'.includes(rest.charAt(0))) depth++;
    else if ('})]'.includes(rest.charAt(0)) || (rest.startsWith('>') && text[index - 1] !== '=')) depth--;
    if (depth > 0) continue;
    const atEnd = rest.startsWith(';') || (rest.startsWith('}') && text[index + 1] === '\n');
    if (atEnd) return cleaned(text.slice(start, index + 1));
  }
  return cleaned(text.slice(start));
}

function cleaned(code: string): string {
  return code
    .replace(/^(?:export )?(?:declare )?/u, '')
    .replaceAll(/^\s*(?:#private|private [^;]*);\n/gmu, '')
    .replaceAll(/^(?: {4})+/gmu, (indent) => ' '.repeat(indent.length / 2));
}

function proseOf(comment: string): string {
  return comment
    .replaceAll(/^\/\*\*\s?|\s*\*\/\n?$/gu, '')
    .replaceAll(/^ \* ?/gmu, '')
    .replaceAll(/\{@link (\w+)\}/gu, '`$1`')
    .trim();
}

/** `A, type B as C` */
function pairsOf(names: string): [name: string, as: string][] {
  return names
    .split(',')
    .map((part) => part.trim().replace(/^type /u, ''))
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', as = name] = part.split(' as ');
      return [name, as];
    });
}

function target(file: string, from: string): string {
  return join(dirname(file), from.replace(/\.[jt]s$/u, '.d.ts'));
}

function uniqueByName(declarations: Declaration[]): Declaration[] {
  return [...new Map(declarations.map((declaration) => [declaration.name, declaration])).values()];
}
