import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AgentRun } from '../../client/api/agent-run.ts';
import type { RunExport } from '../../client/export/run-export.ts';
import { type Io, UsageError, exitCodes, printJson, say } from '../shell/io.ts';
import { withHistory } from '../connection/context.ts';
import type { CommonOptions } from '../options/options.ts';
import { checkOutFile } from '../options/out-file.ts';
import { count } from '../../features/render/words/amounts.ts';
import { exportJson } from '../print/export-json.ts';
import { sanitizedFor, jsonOn } from '../shell/on-terminal.ts';

interface ExportCommandOptions extends CommonOptions {
  prompts?: boolean;
  html?: boolean;
  out?: string;
  /** Temporal's run id, for a run that a reset has replaced. */
  run?: string;
}

/** `reloop export`: a whole run as one JSON file, or as one page for a browser. */
export async function exportRun(io: Io, id: string, options: ExportCommandOptions): Promise<number> {
  const { html, json, out } = options;
  if (html === true && json === true && out === undefined) {
    throw new UsageError(
      'A page is not JSON. Leave out --json or --html, or name the file of the page: --out FILE.',
    );
  }
  if (out !== undefined) await checkOutFile(out);
  return withHistory(io, options, id, async ({ client }, latest) => {
    const run = options.run === undefined ? latest : client.get(id, options.run);
    const pieces = await textOf(await collect(io, run, options), html === true);
    if (out === undefined) for (const piece of pieces) io.stdout.write(shown(io, piece, html === true));
    else report(io, id, out, await writeTo(out, pieces), json === true);
    return exitCodes.answered;
  });
}

function shown({ stdout }: Io, piece: string, html: boolean): string {
  return html ? sanitizedFor(stdout, piece) : jsonOn(stdout, piece);
}

async function collect(io: Io, run: AgentRun, options: ExportCommandOptions): Promise<RunExport> {
  const { prompts = false, html = false } = options;
  if (!prompts) return run.export({ prompts, images: html });
  const { kindsFrom } = await import('../connection/command-config.ts');
  return run.export({ prompts, images: html, kinds: await kindsFrom(io, options) });
}

async function textOf(exported: RunExport, html: boolean): Promise<Iterable<string>> {
  if (!html) return exportJson(exported);
  const { runPage } = await import('../../features/render/page/run-page.ts');
  return [runPage(exported)];
}

/** Resolves with the bytes that were written. */
async function writeTo(out: string, pieces: Iterable<string>): Promise<number> {
  const file = createWriteStream(out);
  try {
    await pipeline(Readable.from(pieces), file);
  } catch (error) {
    throw new UsageError(
      `${out} could not be written: ${error instanceof Error ? error.message : String(error)}.`,
      {
        cause: error,
      },
    );
  }
  return file.bytesWritten;
}

function report(io: Io, id: string, file: string, bytes: number, json: boolean): void {
  if (json) printJson(io, { id, file, bytes });
  else say(io, `${file}: ${count(bytes, 'byte')}`);
}
