import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Io, exitCodes, printJson, say } from '../shell/io.ts';
import { install } from '../init/npm-install.ts';
import { mergePackage, namedPackage, ownPackage } from '../init/package-json.ts';
import { type InitReport, notesOn, printReport, sayNext } from '../init/report-init.ts';
import { checkWritable, templateFiles, templateText, writeFiles } from '../init/template-files.ts';

interface InitOptions {
  package?: string;
  install: boolean;
  json?: boolean;
}

/**
 * `reloop init`: creates a project, or adds the missing parts to an existing one. Throws UsageError before anything is
 * written.
 */
export async function init(io: Io, dir: string, options: InitOptions): Promise<number> {
  const folder = resolve(dir);
  const packageFile = join(folder, 'package.json');
  checkWritable(folder, []);
  const { files, left, hasConfig } = templateFiles(folder);
  checkWritable(folder, files);
  const { package: named } = options;
  const spec = named === undefined ? ownPackage(folder) : namedPackage(folder, named);
  const before = existsSync(packageFile) ? readFileSync(packageFile, 'utf8') : undefined;
  const merged = mergePackage(before, templateText('_package.json'), {
    folder,
    spec,
    named: named !== undefined,
    withAgent: !hasConfig,
  });

  if (merged.isNew) writeFiles(folder, [{ path: 'package.json', text: merged.text }]);
  else if (merged.text !== before) writeFileSync(packageFile, merged.text);
  writeFiles(folder, files);

  const done = {
    folder,
    created: [...(merged.isNew ? ['package.json'] : []), ...files.map(({ path }) => path)],
    left,
    added: merged.isNew ? [] : merged.added,
    reloop: merged.reloop,
    hasConfig,
  };
  const report: InitReport = { ...done, notes: notesOn(done) };
  if (options.json !== true) printReport(io, report);
  for (const note of report.notes) say(io, `note: ${note}`);
  const installed = await install(io, folder, options.install);
  if (options.json === true) printJson(io, { ...report, install: installed.state });
  sayNext(io, report, installed);
  return installed.state === 'failed' ? exitCodes.failed : exitCodes.answered;
}
