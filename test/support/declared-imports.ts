import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cleanEnv, root } from './cli.ts';

/** Imports of the declarations in a folder that lead to no file: TypeScript infers paths into packages without `.js`. */
export function unresolvedImports(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.d.ts'),
  );
  const imports = files.map((file) => ({
    file,
    names: importedPackages(readFileSync(join(folder, file), 'utf8')),
  }));
  const missing = new Set(notFound([...new Set(imports.flatMap(({ names }) => names))]));
  return imports.flatMap(({ file, names }) =>
    names.filter((name) => missing.has(name)).map((name) => `${file}: ${name}`),
  );
}

export function importedPackages(declarations: string): string[] {
  const found = declarations.matchAll(/(?:\bfrom |\bimport(?: |\())['"]([^'".][^'"]*)['"]/gu);
  return [...new Set([...found].map(([, name = '']) => name))];
}

/** Asked of a Node of its own: loaders of TypeScript add extensions. */
export function notFound(names: readonly string[]): string[] {
  const script = `
    import { existsSync } from 'node:fs';
    const isThere = (name) => {
      try {
        const found = new URL(import.meta.resolve(name));
        return found.protocol === 'node:' || existsSync(found);
      } catch {
        return false;
      }
    };
    console.log(JSON.stringify(${JSON.stringify(names)}.filter((name) => !isThere(name))));`;
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    env: cleanEnv(),
    encoding: 'utf8',
  });
  return JSON.parse(said) as string[];
}
