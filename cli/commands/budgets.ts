import type { BudgetPeriod, BudgetReport } from '../../agent/budgets/budget-rule.ts';
import { amounts as amountNames } from '../../agent/budgets/ledger-period.ts';
import { amountWords, utcMinute } from '../../agent/budgets/budget-words.ts';
import { oneLine } from '../../features/render/words/amounts.ts';
import { BudgetNotFound } from '../../client/connect/errors.ts';
import { configFor } from '../connection/command-config.ts';
import { attended, serve } from '../connection/command-worker.ts';
import { type CliContext, neverStarted, withTemporal } from '../connection/context.ts';
import { namedQueue, queuesOf } from '../connection/task-queue.ts';
import type { CommonOptions } from '../options/options.ts';
import { table } from '../shell/display.ts';
import { type Io, UsageError, exitCodes, print, printJson, say } from '../shell/io.ts';
import { AgentBudgets } from '../../client/api/agent-budgets.ts';
import { temporalSettings } from '../../client/connect/connect.ts';

/** `reloop budgets`. */
export async function listBudgets(io: Io, options: CommonOptions): Promise<number> {
  const reports: BudgetReport[] = (await neverStarted(options))
    ? []
    : await withBudgets(io, options, (budgets) => budgets.list());
  if (options.json === true) printJson(io, reports);
  else if (reports.length === 0) say(io, 'No run has used a budget yet. The config has them in `budgets`.');
  else printReports(io, reports);
  return exitCodes.answered;
}

interface ExtendOptions extends CommonOptions {
  key?: string;
  cost?: number;
  tokens?: number;
  runs?: number;
  id?: string;
}

/** `reloop budgets extend`. */
export async function extendBudget(io: Io, name: string, options: ExtendOptions): Promise<number> {
  const { key = '', cost, tokens: totalTokens, runs, id } = options;
  if ([cost, totalTokens, runs].every((more) => more === undefined))
    throw new UsageError('Say how much is added: --cost USD, --tokens N or --runs N.');
  if (await neverStarted(options)) throw new BudgetNotFound(name, key);
  const report = await withBudgets(io, options, (budgets) =>
    budgets.extend(name, { cost, totalTokens, runs }, key, { id }),
  );
  if (options.json === true) printJson(io, report);
  else printReports(io, [report]);
  return exitCodes.answered;
}

async function withBudgets<T>(
  io: Io,
  options: CommonOptions,
  use: (budgets: AgentBudgets) => Promise<T>,
): Promise<T> {
  const config = await configFor(options, temporalSettings(options).address !== undefined);
  const opened = { ...options, loaded: config?.loaded };
  return withTemporal(io, opened, async (context: CliContext) => {
    const { runs } = await queuesOf(context, config, namedQueue(io, options));
    const place = { open: true, taskQueue: runs };
    await serve(context, place, options);
    return attended(
      context,
      () => Promise.resolve(place),
      () => use(new AgentBudgets(context.client.temporal, runs)),
    );
  });
}

function printReports(io: Io, reports: readonly BudgetReport[]): void {
  for (const line of table(rowsOf(reports), io.stdout.columns)) print(io, line);
  for (const { rule, key, periods } of reports) {
    for (const { at, by, ...amount } of periods.flatMap(({ extensions }) => extensions))
      print(
        io,
        `${[rule.name, ...(key === '' ? [] : [oneLine(key)])].join(' ')}: extended by ${amountsOf(amount)}${by === undefined ? '' : ` by ${oneLine(by)}`}, ${utcMinute(at)}`,
      );
  }
}

function rowsOf(reports: readonly BudgetReport[]): string[][] {
  const head = ['BUDGET', 'KEY', 'FROM', 'TO', 'USED', 'RESERVED', 'UNSETTLED', 'LIMIT', 'SHARE'];
  const rows = reports.flatMap(({ rule, key, periods }) =>
    periods.map((period) => [rule.name, oneLine(key), ...cellsOf(period)]),
  );
  return [head, ...rows];
}

function cellsOf({
  from,
  to,
  limit,
  used,
  reserved,
  unsettled,
  runs,
  share,
  warned,
}: BudgetPeriod): string[] {
  const amounts = (of: BudgetPeriod['limit']) => amountsOf(of, limit);
  return [
    utcMinute(from),
    utcMinute(to),
    amounts({ ...used, runs }),
    amounts(reserved),
    amounts(unsettled),
    amounts(limit),
    `${Math.floor(share * 100)} %${warned ? ', warned' : ''}`,
  ];
}

/** The amounts whose names both have. */
function amountsOf(of: BudgetPeriod['limit'], named = of): string {
  return amountNames
    .flatMap((name) => {
      const amount = named[name] === undefined ? undefined : of[name];
      return amount === undefined ? [] : [amountWords(name, amount)];
    })
    .join(', ');
}
