import {
  type AgentClient,
  asText,
  contentText,
  type Json,
  needsPerson,
  pausedCallText,
  type PossibleDecision,
  possibleDecisions,
  possibleRaise,
  type Raise,
  type RunSummary,
  RunView,
  type WaitingCall,
  workflowPage,
} from '../../client/index.ts';
import { boundedText } from '../../agent/values/values.ts';

/** A run with calls that wait for a person, or that an operator has paused. */
export interface WaitingRun {
  id: string;
  agent: string;
  /** The question as people read it. */
  input: string;
  session?: string | undefined;
  /** Name of the person that the run belongs to. */
  owner?: string | undefined;
  tags?: readonly string[] | undefined;
  /** Name of the person who started the run, as the sender said. */
  by?: string | undefined;
  /** The latest calls that have ended, the last ones last. */
  steps?: ShownStep[] | undefined;
  /** RFC 3339. */
  startedAt: string;
  /** Page of the run in Temporal's Web UI. */
  url?: string | undefined;
  calls: CallToDecide[];
  /** Sentences on what an operator has paused with Temporal's own commands. No decision continues it. */
  paused?: readonly string[] | undefined;
  /** The run cannot be read, and why. */
  problem?: string | undefined;
}

/** A call that has ended, in short. */
export interface ShownStep {
  call: string;
  tool: string;
  input: string;
  result: string;
}

const MOST_STEPS = 5;
const STEP_CHARS = 200;

/** A call that waits for a person, with all that a page needs to offer the decisions. */
export interface CallToDecide extends WaitingCall {
  /** Start of the wait, milliseconds since 1970. */
  since: number;
  decisions: PossibleDecision[];
  /** The input that the model wrote, where a person has changed the input since. */
  proposed?: Json | undefined;
  /** The wait ends also when this limit is raised. */
  raise?: Raise | undefined;
}

/** Reads the waits of a run from its history. `webUi`: address of Temporal's Web UI. Throws the errors of the client. */
export async function readWaitingRun(
  client: AgentClient,
  summary: RunSummary,
  webUi: string | undefined,
): Promise<WaitingRun> {
  const { id } = summary;
  const view = new RunView(id);
  const begun = new Map<string, number>();
  let by: string | undefined;
  for await (const event of client.get(id).events({ follow: false, live: false })) {
    view.add(event);
    if (event.type === 'run_started') by ??= event.by;
    if (event.type === 'waiting') begun.set(event.wait.call, event.at);
  }
  return {
    ...listedRun(client, summary, webUi),
    input: contentText(view.input),
    by,
    steps: view.steps.slice(-MOST_STEPS).map(({ call, action: { tool, toolInput }, observation }) => ({
      call,
      tool,
      input: boundedText(asText(toolInput), STEP_CHARS),
      result: boundedText(asText(observation), STEP_CHARS),
    })),
    calls: view.waiting.filter(needsPerson).map((wait) => ({
      ...wait,
      since: begun.get(wait.call) ?? 0,
      decisions: possibleDecisions(wait),
      proposed: proposedInput(view, wait),
      raise: possibleRaise(wait),
    })),
  };
}

/** A run that cannot be read is shown too, as the list has it: the run waits. */
export function unreadableRun(
  client: AgentClient,
  summary: RunSummary,
  webUi: string | undefined,
  { name, message }: Error,
): WaitingRun {
  const problem = name === 'EncryptionKeyMissing' ? message : `The run cannot be read (${name}).`;
  return { ...listedRun(client, summary, webUi), calls: [], problem };
}

function listedRun(
  { temporal }: AgentClient,
  { id, agent, input, session, owner, tags, startedAt, pausedCalls, pausedInTemporal }: RunSummary,
  webUi: string | undefined,
): Omit<WaitingRun, 'calls' | 'by' | 'steps'> {
  const url = webUi && workflowPage(webUi, temporal.options.namespace, id);
  const paused = pausedInTemporal === undefined ? pausedCalls?.map(pausedCallText) : [PAUSED_RUN];
  return { id, agent, input, session, owner, tags, startedAt: startedAt.toISOString(), url, paused };
}

const PAUSED_RUN = 'It is paused in Temporal, and takes no decisions until it is unpaused there.';

/** The input that the model wrote; undefined if the call still has it. */
function proposedInput({ turns }: RunView, { call, toolInput }: WaitingCall): Json | undefined {
  const made = turns.all.flatMap(({ calls }) => calls).findLast((one) => one.call === call);
  if (made === undefined || asText(made.action.toolInput) === asText(toolInput)) return undefined;
  return made.action.toolInput;
}
