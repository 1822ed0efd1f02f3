/** `reloop/evals`: checks for the config's `evals`. */
export {
  called,
  check,
  contains,
  costUnder,
  exact,
  judge,
  matches,
  noEffect,
  stepsUnder,
} from './rules/case-checks.ts';
export { judgeAgent } from './option/judge-agent.ts';
export type { AnySchema } from './rules/case-checks.ts';
export type {
  Check,
  EvalCase,
  EvalDefinition,
  EvalRun,
  FunctionCheck,
  JudgeCheck,
  Verdict,
} from './rules/eval-definition.ts';
export type { CaseChange, EvalBefore, EvalReport } from './rules/eval-report.ts';
export type { CaseResult, CheckResult } from './rules/score-case.ts';
