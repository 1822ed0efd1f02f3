import type { RunContext } from '../../../agent/definition/run-context.ts';
import type { WaitingCall } from '../../../agent/rules/waiting.ts';
import type { RunStep } from '../../../agent/run/events.ts';
import type { ChatMessage, ErrorInfo, Json, RunStatus, Usage } from '../../../agent/values/vocabulary.ts';

/** An eval: cases that are asked of an agent, and checks that score its runs. Its name is its key in the config's `evals`. */
export interface EvalDefinition {
  /** Name of an agent of the config. */
  agent: string;
  /** Cases, or the file that has them, as seen from the project's folder: CSV with a header, or JSON Lines. */
  cases: string | readonly EvalCase[];
  /** Checks of each case. A case passes if its run completes and all checks pass. */
  checks: readonly Check[];
  /** Runs under way at the same time. Default 4. */
  concurrency?: number | undefined;
}

/** A question to the agent, and what the checks compare its run with. */
export interface EvalCase {
  input: string;
  /** The right answer, for `exact()`, `contains()` and the judge. */
  expected?: Json | undefined;
  /** Facts for the run's tools, as the config's `context` wants them. */
  context?: RunContext | undefined;
  /** Earlier messages of the conversation. */
  chatHistory?: ChatMessage[] | undefined;
  /** Values for the agent's own `{names}` in its prompt texts. */
  variables?: { [name: string]: string } | undefined;
  /** Checks of this case, in addition to those of the eval. */
  checks?: readonly Check[] | undefined;
}

/** A recorded run, as checks see it. */
export interface EvalRun {
  id: string;
  status: RunStatus;
  output: Json;
  error: ErrorInfo | null;
  /** Tool calls that have ended, in order. */
  intermediateSteps: readonly RunStep[];
  /** Calls that wait for a person. */
  waiting: readonly WaitingCall[];
  iterations: number;
  usage: Usage;
}

/** A score from 0 to 1, or true for 1 and false for 0. `reason` is shown where the check fails. */
export type Verdict = boolean | number | { score: number; reason?: string | undefined };

export type Check = FunctionCheck | JudgeCheck;

interface CheckBase {
  /** Name in the report. The checks of a case have different names. */
  name: string;
  /** The lowest score with which the check passes. */
  atLeast: number;
}

export interface FunctionCheck extends CheckBase {
  /** Scores a run. Called whenever the results are shown: the same run has to get the same score. An error is a score of 0. */
  score(run: EvalRun, item: EvalCase): Verdict | Promise<Verdict>;
}

/** A check by an agent of the config, which is asked to score the answer by a rubric. */
export interface JudgeCheck extends CheckBase {
  judge: { agent: string; rubric: string };
}

export function isJudge(check: Check): check is JudgeCheck {
  return 'judge' in check;
}

/** The agents that an eval asks: its own, and those that judge. Each case's context is theirs. */
export function agentsOf(
  { agent, checks }: Pick<EvalDefinition, 'agent' | 'checks'>,
  cases: readonly EvalCase[],
): string[] {
  const all = [...checks, ...cases.flatMap((item) => item.checks ?? [])];
  return [...new Set([agent, ...all.filter(isJudge).map(({ judge }) => judge.agent)])];
}
