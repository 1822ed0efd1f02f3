import { readFile } from 'node:fs/promises';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { type RunExport, parseRunExport } from '../../client/export/run-export.ts';
import { checkConfig } from '../../config/check.ts';
import type { ConfigDefinition } from '../../config/define.ts';
import { type LoadedConfig, createLoadedConfig } from '../../config/load/loaded-config.ts';
import type { replayRun } from './replayed-run.ts';
import type { RunDifference } from './run-difference.ts';

export interface RecordedRunOptions {
  /** The config with the agent as it is today. */
  config: ConfigDefinition;
  /** Name of the agent that replaces the recorded one. */
  agent?: string | undefined;
  /** Limit of a run that was started with a separate one. */
  maxIterations?: number | null | undefined;
  /** Reaction to a difference: throw (default), or only list it in the result. */
  onDifference?: 'throw' | 'return' | undefined;
}

export interface RecordedRunResult {
  ok: boolean;
  /** Number of replayed model replies, with those of sub-agents. */
  steps: number;
  differences: RunDifference[];
}

/** A recorded run goes another way than it did. Test runners print `expected` and `actual` as a diff. */
export class RecordedRunChanged extends Error {
  override name = 'RecordedRunChanged';
  readonly differences: readonly RunDifference[];
  readonly expected: { [place: string]: string };
  readonly actual: { [place: string]: string };
  readonly showDiff = true;

  constructor(id: string, differences: readonly RunDifference[]) {
    super(messageOf(id, differences));
    this.differences = differences;
    this.expected = textsOf(differences, 'before');
    this.actual = textsOf(differences, 'after');
  }
}

/**
 * Takes an exported run (`reloop export RUN`) through the agent of today, without a server, a model or a tool: the same
 * replies and the same tool results, with today's prompts, parsers, kinds and limits. As a test:
 * `test('…', () => recordedRun('runs/refund.json', { config }))`. What the model is asked is compared where the run was
 * exported with `--prompts`. Throws RecordedRunChanged; InvalidInput for a file that is not an exported run, or for an unknown agent.
 */
export async function recordedRun(
  file: string | URL | RunExport,
  { config, agent, maxIterations, onDifference = 'throw' }: RecordedRunOptions,
): Promise<RecordedRunResult> {
  const record =
    typeof file === 'string' || 'href' in file
      ? parseRunExport(await readFile(file, 'utf8'), String(file))
      : file;
  const loaded = createLoadedConfig(checkConfig(config, 'recordedRun'));
  // Loaded late: most that import `reloop/testing` want a scripted model, and this loads Temporal's SDK.
  const { replayRun: replay } = await import('./replayed-run.ts');
  const { steps, differences } = replayAll({ loaded, replay }, record, { agent, maxIterations });
  if (differences.length > 0 && onDifference === 'throw')
    throw new RecordedRunChanged(record.run.id, differences);
  return { ok: differences.length === 0, steps, differences };
}

/** The agents of today, and what takes them through a run. */
interface Today {
  loaded: LoadedConfig;
  replay: typeof replayRun;
}

type ReplayChoices = Pick<RecordedRunOptions, 'agent' | 'maxIterations'>;

/** All agents of a run, and its sub-agents. */
function replayAll(today: Today, record: RunExport, wanted: ReplayChoices): Omit<RecordedRunResult, 'ok'> {
  const own = record.agents.map(({ scope }) => replayAgent(today, record, scope, wanted));
  const below = record.subAgents.flatMap(({ call, export: run }) =>
    run === null ? [] : [{ call, ...replayAll(today, run, {}) }],
  );
  return {
    steps: [...own, ...below].reduce((sum, { steps }) => sum + steps, 0),
    differences: [
      ...own.flatMap(({ differences }) => differences),
      ...below.flatMap(({ call, differences }) =>
        differences.map((one) => ({ ...one, step: `${call}/${one.step}` })),
      ),
    ],
  };
}

function replayAgent(
  { loaded, replay }: Today,
  record: RunExport,
  scope: number,
  { agent, maxIterations }: ReplayChoices,
) {
  const recorded = record.agents.find((one) => one.scope === scope);
  const name = (scope === 0 ? agent : undefined) ?? recorded?.manifest?.name ?? record.run.agent;
  const manifest = loaded.manifest(name, maxIterations === undefined ? {} : { maxIterations });
  const kind = loaded.kinds.get(manifest?.kind ?? '');
  if (manifest === undefined || kind === undefined) {
    const known = [...loaded.agents.keys()].join(', ') || 'none';
    throw new InvalidInput(
      `Run "${record.run.id}" is of agent "${name}", which the config does not have (it has: ${known}). Name the one to try with the option \`agent\`.`,
    );
  }
  const question = recorded?.question ?? undefined;
  if (question === undefined) {
    throw new InvalidInput(
      `The export of run "${record.run.id}" does not say what agent "${name}" was asked: its beginning is past the namespace's retention.`,
    );
  }
  return replay({ loaded, kind, manifest, scope, question, record });
}

function messageOf(id: string, [first, ...others]: readonly RunDifference[]): string {
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const { step, what, before, after } = first ?? { step: '', what: '', before: '', after: '' };
  return [
    `Run "${id}" goes another way than it did, from step ${step} on: ${what}${more}`,
    `  before: ${indented(before)}`,
    `  after:  ${indented(after)}`,
  ].join('\n');
}

function indented(text: string): string {
  return text.replaceAll('\n', '\n          ');
}

function textsOf(
  differences: readonly RunDifference[],
  side: 'before' | 'after',
): { [place: string]: string } {
  return Object.fromEntries(differences.map((one) => [`step ${one.step}, ${one.what}`, one[side]]));
}
