import { readFile } from 'node:fs/promises';
import type { RunContext } from '../../agent/definition/run-context.ts';
import { isObject, parseJson } from '../../agent/values/json-object.ts';
import type { Json, JsonObject } from '../../agent/values/vocabulary.ts';
import type { BatchInput } from '../../client/api/batch.ts';
import { type Input, readInput } from '../../client/start/read-input.ts';
import { UsageError } from '../shell/io.ts';
import { parseCsv, separatorOf } from './csv.ts';
import { type FileFormat, formatOf } from './file-format.ts';
import { resultColumns } from './batch-results.ts';

/** A row of the file: its columns, which the results keep, and the input that is made of it. */
export interface BatchRow {
  columns: JsonObject;
  input: Exclude<BatchInput, Input>;
}

/** A row before its question is looked for. */
interface FileRow {
  line: number;
  columns: JsonObject;
}

const QUESTION_COLUMNS = ['input', 'question'];

/**
 * Reads the inputs of a batch: CSV with a header, or JSON Lines, whose lines are texts or objects. `column`: the one with the question;
 * default: input, question, or the only one. In JSON Lines `context` and `variables` of a row are those of its run. Throws UsageError,
 * before anything is started.
 */
export async function readBatchFile(file: string, column: string | undefined): Promise<BatchRow[]> {
  const format = formatOf(file);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new UsageError(
      `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}.`,
      {
        cause: error,
      },
    );
  });
  const rows = format === 'csv' ? csvRows(file, text) : jsonRows(file, text);
  if (rows.length === 0) throw new UsageError(`${file} has no rows, so there is nothing to ask.`);
  checkColumns(file, rows);
  return rows.map((row) => batchRow(file, row, column, format));
}

function csvRows(file: string, text: string): FileRow[] {
  let parsed;
  try {
    parsed = parseCsv(text, separatorOf(text));
  } catch (error) {
    throw new UsageError(`${file}, ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  const [header, ...rows] = parsed;
  const names = header?.cells.map((name) => name.trim()) ?? [];
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new UsageError(`${file}: the header has "${twice}" twice. Rename one.`);
  return rows.map(({ line, cells }) => {
    if (cells.length !== names.length) {
      throw new UsageError(
        `${file}, line ${line}: ${cells.length} cells, and the header has ${names.length}. Put a cell with a comma in quotes.`,
      );
    }
    return { line, columns: Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])) };
  });
}

function jsonRows(file: string, text: string): FileRow[] {
  return text.split(/\r?\n/u).flatMap((line, index) => {
    if (line.trim() === '') return [];
    const value = parseJson(line);
    if (typeof value === 'string') return [{ line: index + 1, columns: { input: value } }];
    if (isObject(value)) return [{ line: index + 1, columns: value }];
    throw new UsageError(
      `${file}, line ${index + 1}: this is not one line of JSON with a text or an object: {"input":"…"}.`,
    );
  });
}

function checkColumns(file: string, rows: readonly FileRow[]): void {
  const taken = resultColumns.find((name) => rows.some(({ columns }) => Object.hasOwn(columns, name)));
  if (taken === undefined) return;
  throw new UsageError(
    `${file} has a column "${taken}", and the results have one of that name. Rename yours. Theirs: ${resultColumns.join(', ')}.`,
  );
}

function batchRow(
  file: string,
  { line, columns }: FileRow,
  named: string | undefined,
  format: FileFormat,
): BatchRow {
  const where = `${file}, line ${line}`;
  const question = questionOf(where, columns, named);
  try {
    readInput(question);
  } catch (error) {
    throw new UsageError(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  const input = question as Input; // just read
  if (format === 'csv') return { columns, input: { input } };
  const { context, variables } = columns;
  return {
    columns,
    input: {
      input,
      ...(isObject(context) && { context: context satisfies RunContext }),
      ...(isObject(variables) && { variables: textsOf(where, variables) }),
    },
  };
}

function questionOf(where: string, columns: JsonObject, named: string | undefined): Json | undefined {
  const names = Object.keys(columns);
  if (named !== undefined) {
    if (Object.hasOwn(columns, named)) return columns[named];
    throw new UsageError(`${where}: there is no column "${named}". There are: ${names.join(', ')}.`);
  }
  const usual = QUESTION_COLUMNS.find((name) => names.includes(name));
  const [only, ...more] = names;
  const found = usual ?? (more.length === 0 ? only : undefined);
  if (found !== undefined) return columns[found];
  throw new UsageError(
    `${where}: which column is the question? Name it input, or name yours with --column. There are: ${names.join(', ')}.`,
  );
}

function textsOf(where: string, variables: JsonObject): { [name: string]: string } {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      if (typeof value === 'string') return [name, value];
      throw new UsageError(`${where}: the variable "${name}" is not a text.`);
    }),
  );
}
