import type { QuestionEntry } from '../transcript/entries.ts';
import type { Json } from '../vocabulary.ts';

/** What crosses between a backtest, its runs, and its activities. JSON; recorded in history, so fields are only ever added. */

export interface RecordedRunRef {
  workflowId: string;
  runId: string;
}

/** What a recorded run was asked: result of the activity `recordedQuestion`. */
export type RecordedQuestion = Omit<QuestionEntry, 'type'>;

/** Input of the activity `recordedCall`: the `nth` call, from 0, of a tool with an input in a recorded run. */
export interface RecordedCallInput extends RecordedRunRef {
  tool: string;
  toolInput: Json;
  nth: number;
}

/** Input of the activity `compareRun`. `after`: the latest run of that id. */
export interface CompareInput {
  before: RecordedRunRef;
  after: { workflowId: string };
  input: string;
}
