import { aFewAtATime } from '../../../agent/values/concurrent.ts';
import type { AgentClient } from '../../../client/api/agent-client.ts';
import { RunNotFound } from '../../../client/connect/errors.ts';
import { caseKeys, caseRunId, evalTag, judgeRunId } from '../rules/case-keys.ts';
import {
  type EvalCase,
  type EvalDefinition,
  type EvalRun,
  type JudgeCheck,
  type Verdict,
  isJudge,
} from '../rules/eval-definition.ts';
import { type EvalReport, reportOf } from '../rules/eval-report.ts';
import { judgeQuestion, verdictOf } from '../rules/judge.ts';
import { scoreCase } from '../rules/score-case.ts';

/** An eval with its cases. */
export interface Eval extends Pick<EvalDefinition, 'agent' | 'checks'> {
  name: string;
  cases: readonly EvalCase[];
}

/** The start of a judge's run. The context is the case's, since a config may ask one of all runs. */
interface JudgeInput extends Pick<EvalCase, 'input' | 'context'> {
  id: string;
  tags: string[];
}

/** Runs that are read at the same time. */
const READERS = 8;

/** The inputs of the batch that asks the cases. */
export function caseInputs(one: Eval, id: string) {
  const keys = caseKeys(one.cases);
  return one.cases.map(({ input, context, chatHistory, variables }, index) => ({
    input,
    context,
    chatHistory,
    variables,
    id: caseRunId(id, keys[index] ?? ''),
    tags: [evalTag(one.name), id],
  }));
}

/** The inputs of the batches that ask the judges, by agent. Answers that are not there yet are not judged. */
export async function judgeInputs(client: AgentClient, one: Eval, id: string) {
  const byAgent = new Map<string, JudgeInput[]>();
  for (const { item, run, judges } of await readCases(client, one, id)) {
    if (run?.status !== 'completed') continue;
    for (const { agent, question, runId } of judges)
      byAgent.set(agent, [
        ...(byAgent.get(agent) ?? []),
        { input: question, id: runId, tags: [id], context: item.context },
      ]);
  }
  return byAgent;
}

/** Scores an eval by its recorded runs. Nothing is asked. */
export async function readEval(client: AgentClient, one: Eval, id: string): Promise<EvalReport> {
  const read = await readCases(client, one, id);
  const judged = await aFewAtATime(read, READERS, async ({ judges }) => {
    const runs = await Promise.all(
      judges.map(async (judge) => ({ name: judge.name, run: await readRun(client, judge.runId) })),
    );
    return runs.flatMap(({ name, run }) => (run === undefined ? [] : [{ name, run }]));
  });
  const results = await Promise.all(
    read.map(({ item, runId, run, checks }, index) => {
      const verdicts = new Map(
        (judged[index] ?? []).flatMap(({ name, run: judge }): [string, Verdict][] => {
          const verdict = verdictOf(judge);
          return verdict === undefined ? [] : [[name, verdict]];
        }),
      );
      return scoreCase(item, runId, run, checks, verdicts);
    }),
  );
  const usages = judged.flat().map(({ run }) => run.usage);
  return reportOf({ id, eval: one.name, agent: one.agent }, results, usages);
}

async function readCases(client: AgentClient, { cases, checks: common }: Eval, id: string) {
  const keys = caseKeys(cases);
  return aFewAtATime(cases, READERS, async (given, index) => {
    const item = { ...given, key: keys[index] ?? '' };
    const runId = caseRunId(id, item.key);
    const run = await readRun(client, runId);
    const checks = [...common, ...(item.checks ?? [])];
    const judges = run === undefined ? [] : checks.filter(isJudge).map((check) => asked(check, item, run));
    return { item, runId, run, checks, judges };
  });
}

function asked(check: JudgeCheck, item: EvalCase, run: EvalRun) {
  const { agent } = check.judge;
  const question = judgeQuestion(check, item, run);
  return { name: check.name, agent, question, runId: judgeRunId(run.id, agent, question) };
}

async function readRun(client: AgentClient, id: string): Promise<EvalRun | undefined> {
  try {
    return await client.get(id).describe();
  } catch (error) {
    if (error instanceof RunNotFound) return undefined;
    throw error;
  }
}
