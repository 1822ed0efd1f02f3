import { fieldsOf } from '../../../agent/values/json-object.ts';
import { asText } from '../../../agent/values/vocabulary.ts';
import type { EvalCase, EvalRun, JudgeCheck, Verdict } from './eval-definition.ts';

/** The question to a judge, with all that it needs. */
export function judgeQuestion({ judge }: JudgeCheck, { input, expected }: EvalCase, run: EvalRun): string {
  const parts = [
    ['Rubric', judge.rubric],
    ['Question', input],
    ...(expected === undefined ? [] : [['Right answer', asText(expected)]]),
    ['Answer to score', asText(run.output)],
  ];
  return parts.map(([title, text]) => `# ${title}\n\n${text}`).join('\n\n');
}

/** The verdict in a judge's run; a judge that did not come to one gives no score. */
export function verdictOf({ status, output, error }: EvalRun): Verdict | undefined {
  if (status === 'running' || status === 'waiting' || status === 'paused') return undefined;
  const { score, reason } = fieldsOf(output);
  if (typeof score === 'number') return { score, ...(typeof reason === 'string' && { reason }) };
  const why = error === null ? `it answered ${asText(output)}` : `${error.type}: ${error.message}`;
  return { score: 0, reason: `the judge gave no score: ${why}` };
}
