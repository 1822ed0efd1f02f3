import { rename, rm, writeFile } from 'node:fs/promises';
import { statusOf } from '../../agent/run/run-result.ts';
import { type Json, type JsonObject, type Usage, asText } from '../../agent/values/vocabulary.ts';
import type { BatchResult } from '../../client/api/batch.ts';
import { AgentRunCancelled, AgentRunFailed } from '../../client/connect/errors.ts';
import { toolWord } from '../print/runs-table.ts';
import { UsageError } from '../shell/io.ts';
import { csvLine } from './csv.ts';
import type { FileFormat } from './file-format.ts';

/** The columns that the results add to those of the file. */
export const resultColumns = ['run', 'status', 'output', 'error', 'tokens', 'cost'] as const;

/** The result of one row. `left`: it was not started, or the command was ended before the result was there. */
export interface RowResult extends JsonObject {
  run: string;
  status: 'completed' | 'stopped' | 'failed' | 'cancelled' | 'waiting' | 'left';
  output: Json;
  /** `Type: message`, or the calls that wait. */
  error: string | null;
  tokens: number | null;
  /** US dollars; null where the price of a call is not known. */
  cost: number | null;
}

/** The result of a row, for a file. `signal`: that of the batch. */
export function rowResult(result: BatchResult, signal: AbortSignal): RowResult {
  const { id: run } = result;
  const row = (
    status: RowResult['status'],
    more: Partial<Pick<RowResult, 'output' | 'error'>> = {},
    used?: Usage,
  ): RowResult => ({
    run,
    status,
    output: more.output ?? null,
    error: more.error ?? null,
    tokens: used?.totalTokens ?? null,
    cost: used?.cost ?? null,
  });
  switch (result.status) {
    case 'fulfilled': {
      const { output, stopReason, usage } = result.value;
      return row(statusOf(stopReason), { output }, usage);
    }
    case 'waiting': {
      const calls = result.waiting.map(({ call, tool, reason }) => `${call} ${toolWord(tool)} (${reason})`);
      return row('waiting', { error: calls.length === 0 ? 'paused' : calls.join(', ') });
    }
    case 'rejected': {
      const { reason } = result;
      if (signal.aborted && reason === signal.reason) return row('left');
      if (reason instanceof AgentRunFailed)
        return row('failed', { error: `${reason.type}: ${reason.message}` }, reason.report.usage);
      if (reason instanceof AgentRunCancelled) return row('cancelled', {}, reason.report.usage);
      const { name, message } = reason instanceof Error ? reason : { name: 'Error', message: String(reason) };
      return row('failed', { error: `${name}: ${message}` });
    }
  }
}

/** The text of a file of results: all columns of all rows. */
export function resultsText(rows: readonly JsonObject[], format: FileFormat): string {
  if (format === 'jsonl') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const last = new Set<string>(resultColumns);
  const header = [...names.filter((name) => !last.has(name)), ...resultColumns];
  const lines = rows.map((row) => header.map((name) => asText(row[name] ?? '')));
  return [header, ...lines].map((cells) => csvLine(cells)).join('');
}

/** Replaces the file as a whole: a reader never sees a part. Throws UsageError. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  try {
    await writeFile(part, text);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw new UsageError(
      `${file} could not be written: ${error instanceof Error ? error.message : String(error)}.`,
      {
        cause: error,
      },
    );
  }
}
