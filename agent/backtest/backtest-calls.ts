import type { RunContext } from '../definition/run-context.ts';
import type { QuestionEntry } from '../transcript/entries.ts';
import type { RecordedRunRef, SaidAgain } from '../run/run-input.ts';
import type { Json } from '../values/vocabulary.ts';

/**
 * Data exchanged between a backtest, its runs and its activities. JSON; recorded in history, so fields are only ever
 * added.
 */

/** Question of a recorded run, and the messages people sent it: result of the activity `recordedQuestion`. */
export interface RecordedQuestion {
  question: Omit<QuestionEntry, 'type'>;
  context?: RunContext | undefined;
  said?: SaidAgain[] | undefined;
}

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
