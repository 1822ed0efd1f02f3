import { EMPTY_DIGEST, extendDigest } from '../../../agent/values/digest.ts';
import { canonicalJson } from '../../../agent/values/json-object.ts';
import type { EvalCase } from './eval-definition.ts';

/** The tag of all runs of an eval's cases. */
export function evalTag(name: string): string {
  return `eval:${name}`;
}

/**
 * The key of each case: a digest of what the agent is asked. A case that changes is another one, which is asked again; one that moves in its file, or
 * whose `expected` or checks change, stays the same. The second case with one question ends in -2.
 */
export function caseKeys(cases: readonly EvalCase[]): string[] {
  const times = new Map<string, number>();
  return cases.map(({ input, context, chatHistory, variables }) => {
    const key = shortDigest(canonicalJson({ input, context, chatHistory, variables }));
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    return time === 1 ? key : `${key}-${time}`;
  });
}

/** Id of a case's run. */
export function caseRunId(id: string, key: string): string {
  return `${id}-${key}`;
}

/** Id of the run in which a judge scores an answer: another rubric, case or answer is another run. */
export function judgeRunId(caseRun: string, agent: string, question: string): string {
  return `${caseRun}-judge-${shortDigest(canonicalJson([agent, question]))}`;
}

function shortDigest(text: string): string {
  return extendDigest(EMPTY_DIGEST, text).slice(0, 8);
}
