import { readFileSync } from 'node:fs';
import { AgentRunFailed } from '../../client/connect/errors.ts';
import { builtInKind } from '../../agent/kinds/kinds.ts';
import type { ChatMessage, Json } from '../../agent/values/vocabulary.ts';
import type { RecordedRequest, ScriptEntry, ScriptedModel } from '../../features/testing/index.ts';
import { scripted } from '../../features/testing/index.ts';
import type { AgentDefinition } from '../../config/define.ts';
import { essence } from './parity-essence.ts';
import { parityTool } from './parity-tools.ts';
import type { Rig } from './rig.ts';

/** A conversation's earlier question, and what the model said to it. */
interface Earlier {
  input: string;
  replies: ScriptEntry[];
}

interface Step {
  tool: string;
  toolInput: Json;
  log: string;
  observation: Json;
}

/** Result of AgentExecutor, in the words of Reloop. */
interface Outcome {
  output?: Json;
  steps?: Step[];
  error?: { type: string; message?: string };
  modelCalls: number;
  requests: Json[];
}

/** One case of test/parity/fixtures/, as record.py writes it. */
export interface ParityCase {
  name: string;
  tools: string[];
  input: string;
  replies: ScriptEntry[];
  options?: Partial<AgentDefinition> & RecorderOptions;
  earlier?: Earlier[];
  chatHistory?: ChatMessage[];
  recorded: Outcome;
  /** What Reloop does instead, on purpose. */
  differs?: { reason: string; expected: Outcome };
}

/** What is said to AgentExecutor alone, to have it do what Reloop always does. */
interface RecorderOptions {
  toolErrorSays?: string;
  invalidSays?: string;
  showJson?: boolean;
}

export function readCases(kind: string): ParityCase[] {
  const path = new URL(`../parity/fixtures/${kind}.json`, import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { cases: ParityCase[] }).cases; // written by record.py
}

/** A case as an agent of one big config. */
export interface PreparedCase {
  agent: AgentDefinition;
  run(rig: Rig): Promise<Outcome>;
}

export function prepare(kind: string, place: number, parity: ParityCase): PreparedCase {
  const { input, earlier = [], replies, chatHistory, tools, options = {} } = parity;
  const script = [...earlier.flatMap((question) => question.replies), ...replies];
  // In the order of the requests: a conversation's runs each begin with their first step.
  const model = scripted((_, index) => script[index] ?? { status: 400, error: { message: 'Used up.' } });
  const name = `${kind}-${place}`;
  const agent = { name, kind: builtInKind(kind), model, tools: tools.map(parityTool), ...options };

  async function run({ client }: Rig): Promise<Outcome> {
    const session = earlier.length === 0 ? {} : { session: `${client.taskQueue}-${name}` };
    for (const question of earlier) {
      await client.run(name, question.input, session).catch(ignoreFailedRun);
    }
    const before = model.requests.length;
    const run = await client.start(name, input, { ...session, ...(chatHistory && { chatHistory }) });
    const outcome = await run.result().then(ended, failed);
    return inOurWords({ ...outcome, ...asked(kind, input, model, before) });
  }
  return { agent, run };
}

function ignoreFailedRun(failure: unknown): void {
  if (!(failure instanceof AgentRunFailed)) throw failure;
}

type Ended = Awaited<ReturnType<Awaited<ReturnType<Rig['client']['start']>>['result']>>;

function ended({ output, intermediateSteps }: Ended): Pick<Outcome, 'output' | 'steps'> {
  const steps = intermediateSteps.map(({ action, observation }) => ({ ...action, observation }));
  return { output, steps };
}

function failed(failure: unknown): Pick<Outcome, 'error'> {
  if (!(failure instanceof AgentRunFailed)) throw failure;
  return { error: { type: failure.type } };
}

function asked(
  kind: string,
  input: string,
  model: ScriptedModel,
  before: number,
): Pick<Outcome, 'modelCalls' | 'requests'> {
  const requests: readonly RecordedRequest[] = model.requests.slice(before);
  return { modelCalls: requests.length, requests: requests.map(({ body }) => essence(kind, input, body)) };
}

/** Sentences that are Reloop's alone, and what test/parity/building.py writes for them. */
const ourWords: [RegExp, (sentence: RegExpExecArray) => string][] = [
  [/^The input of \S+ is not valid: [^]*/u, () => '<invalid input>'],
  [/^\S+ takes one string, but was given [^]*/u, () => '<invalid input>'],
  [
    /^The arguments of the call of \S+ are not a JSON object \([^]*\): ([^]*)/u,
    ([, text]) => `<unreadable: ${text}>`,
  ],
];

/** They are looked for in steps and replaced wherever they are repeated. */
function inOurWords(outcome: Outcome): Outcome {
  let json = JSON.stringify(outcome);
  for (const sentence of (outcome.steps ?? []).flatMap(({ log, observation }) => [log, observation])) {
    if (typeof sentence !== 'string') continue;
    for (const [pattern, replacement] of ourWords) {
      const found = pattern.exec(sentence);
      if (found) json = json.replaceAll(quoted(sentence), () => quoted(replacement(found)));
    }
  }
  return JSON.parse(json) as Outcome; // only texts were changed
}

/** As it stands inside of a JSON text. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What Reloop has to do in a case. */
export function expected({ recorded, differs }: ParityCase): Outcome {
  const { error, ...langChain } = differs?.expected ?? recorded;
  const outcome =
    langChain.steps === undefined ? langChain : { ...langChain, steps: langChain.steps.map(inOurLog) };
  if (error === undefined) return outcome;
  const { steps: _steps, output: _output, ...rest } = outcome;
  return { ...rest, error: { type: failureTypes[error.type] ?? error.type } };
}

/** LangChain's log of a native call has the input as Python's repr, and the model's words after it; ours has JSON, after the words. */
function inOurLog(step: Step): Step {
  const [found, tool, words] = LANGCHAIN_LOG.exec(step.log) ?? [];
  if (found === undefined) return step;
  const said = words === undefined ? '' : `${words}\n`;
  return { ...step, log: `${said}Invoking \`${tool}\` with ${JSON.stringify(step.toolInput)}` };
}

const LANGCHAIN_LOG = /^\nInvoking: `([^`]*)` with `[^]*?`\n(?:responded: ([^]*)\n|\n)\n$/u;

/** What fails a run, by the exception that ends AgentExecutor. */
const failureTypes: { [exception: string]: string } = {
  ValueError: 'OutputParserError',
  OutputParserException: 'OutputParserError',
  OpenAIInvalidRequestError: 'ModelBadRequest',
  OpenAIAuthenticationError: 'ModelAuthenticationError',
};
