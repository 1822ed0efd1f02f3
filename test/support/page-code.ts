import { blocksOf, fileOf } from './page-blocks.ts';

/** A `ts` block of a page as a module that can be compiled. */
export interface PageModule {
  page: string;
  /** Of the block's first line in the page, from 1. */
  line: number;
  /** Its file, where the block names one, so that other blocks can import it. */
  file?: string;
  /** All on one line, so that places in the module are places in the block. */
  prelude: string;
  code: string;
}

/** Entry points of the package, and what each exports. */
export type Exports = readonly [entry: string, names: ReadonlySet<string>][];

/** What every reader of a fragment knows without being told. */
const KNOWN: readonly [string, string][] = [
  ['client', "declare const client: import('reloop/client').AgentClient;"],
  ['run', "declare const run: import('reloop/client').AgentRun;"],
  ['id', 'declare const id: string;'],
  ['token', 'declare const token: string;'],
];

/**
 * The blocks of a page, each a module. What a fragment uses is imported, if an entry point exports it; taken from an earlier
 * block of the page; or declared by `<!-- given: … -->` before it.
 */
export function modulesOf(page: string, text: string, exports: Exports): PageModule[] {
  let earlier = '';
  return blocksOf(text)
    .filter(({ language }) => language === 'ts')
    .map((block) => {
      const code = block.lines.join('\n');
      const file = fileOf(block);
      const { given = '' } = block.notes;
      const prelude = [given, preludeOf(code, given, earlier, exports)].join(' ').trim();
      earlier += `${code}\n`;
      return { page, line: block.line, ...(file === undefined ? {} : { file }), prelude, code };
    });
}

function preludeOf(code: string, given: string, earlier: string, exports: Exports): string {
  const bound = namesBoundIn(`${given}\n${code}`);
  const free = [...namesUsedIn(code)].filter((name) => !bound.has(name));
  const fromEarlier = namesBoundIn(earlier);
  return free
    .map((name) => {
      const [entry] = exports.find(([, names]) => names.has(name)) ?? [];
      if (entry !== undefined) return `import { ${name} } from '${entry}';`;
      if (fromEarlier.has(name)) return declarationOf(name);
      return KNOWN.find(([known]) => known === name)?.[1] ?? '';
    })
    .join(' ');
}

/** Its type is not repeated: the block that has it is compiled for itself. */
function declarationOf(name: string): string {
  return KNOWN.find(([known]) => known === name)?.[1] ?? `declare const ${name}: any;`;
}

function namesUsedIn(code: string): Set<string> {
  const plain = code
    .replaceAll(/\/\/.*$/gmu, '')
    .replaceAll(/'[^'\n]*'/gu, "''")
    .replaceAll(/\/\*[^]*?\*\//gu, '');
  return new Set([...plain.matchAll(/(?<![.\w])[A-Za-z_]\w*/gu)].map(([name]) => name));
}

function namesBoundIn(code: string): Set<string> {
  const imports = [...code.matchAll(/import (?:type )?(?:(\w+),? ?)?(?:\{([^}]*)\})? ?from/gu)].flatMap(
    ([, one = '', many = '']) => [one, ...many.split(',').map(lastWordOf)],
  );
  const declared = [
    ...code.matchAll(/\b(?:const|let|function|class|interface|type|module) (\w+|\{[^}]*\}|\[[^\]]*\])/gu),
  ].flatMap(([, names = '']) =>
    names
      .replaceAll(/[{}[\]]/gu, '')
      .split(',')
      .map(lastWordOf),
  );
  const parameters = [...code.matchAll(/\(([\w, {}]*)\)(?:: [\w<>]+)? (?:=>|\{)/gu)].flatMap(
    ([, names = '']) => names.replaceAll(/[{}]/gu, '').split(',').map(lastWordOf),
  );
  return new Set([...imports, ...declared, ...parameters].filter((name) => name !== ''));
}

function lastWordOf(text: string): string {
  return /(\w+)\s*(?:=.*)?$/u.exec(text.trim())?.[1] ?? '';
}
