import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { temporal } from '@temporalio/proto';
import type { RunRef } from '../../history/read/pages.ts';
import { recordedServer } from './recorded-server.ts';

const { History } = temporal.api.history.v1;
const folder = new URL('../fixtures/histories/0.3.0/', import.meta.url);

/** A recorded history: the name of its file, and the run that it belongs to. */
export interface RecordedHistory {
  name: string;
  run: RunRef;
  history: temporal.api.history.v1.IHistory;
}

/** All recorded histories, decoded as they come from the server, with numbers of 64 bits. */
export function recordedHistories(): RecordedHistory[] {
  return readdirSync(fileURLToPath(folder)).map((file) => {
    const json: unknown = JSON.parse(readFileSync(fileURLToPath(new URL(file, folder)), 'utf8'));
    const history = History.decode(History.encode(historyFromJSON(json)).finish());
    const started = history.events[0]?.workflowExecutionStartedEventAttributes;
    const run = { workflowId: started?.workflowId ?? '', runId: started?.originalExecutionRunId ?? '' };
    return { name: file.replace(/\.json$/u, ''), run, history };
  });
}

/** A client whose server holds the recorded histories. A run that is not among them is past its retention. */
export function clientOf(recorded: readonly RecordedHistory[]): Client {
  return recordedServer(recorded).client;
}
