import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from '@hono/zod-openapi';
import {
  type AgentRun,
  createWorkerLook,
  decisionNames,
  InvalidInput,
  type OperatorDecision,
} from '../../client/index.ts';
import { MCP_IDEMPOTENCY_KEY } from '../../agent/values/names.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { demand, mayUse } from '../http/caller.ts';
import { ownRun } from '../start/own-runs.ts';
import { Refused, problemOf } from '../http/problem.ts';
import { parsed } from '../http/read-body.ts';
import type { ServedAgent } from '../http/route.ts';
import { decideAs } from '../start/decide-as.ts';
import { runOfStart, startRun } from '../start/start-run.ts';
import type { AgentServerOptions, Sdk } from './agent-server-options.ts';
import { askableBy } from './askable.ts';
import { callState, readCallState } from './request-state.ts';
import { abilitiesOf } from './client-abilities.ts';
import { type PersonsAnswers, answersIn, decideByAnswers, inputRequestsOf, keyOf } from './decision-form.ts';
import { followCall } from './follow-call.ts';
import { addTaskMethods } from './task-methods.ts';
import { taskOf } from './run-task.ts';
import { type ToolAnswer, answerOf, failedAnswer, queuedAnswer } from './tool-answer.ts';

const WAIT_SECONDS = 50;
const MOST_WAIT_SECONDS = 86_400;

const wait = z
  .number()
  .min(0)
  .max(MOST_WAIT_SECONDS)
  .default(WAIT_SECONDS)
  .describe('Seconds to wait for the answer. The run continues after that; get_run has its answer then.');
const id = z.string().describe('The id of the run');
const DECIDE = 'POST /mcp decide_on_run';
const decideArguments = z.object({
  id,
  decision: z.enum(decisionNames),
  call: z.string().optional().describe('The call, such as 3.1, where several calls wait'),
  number: z.int().optional().describe('The n of the wait that the person has seen'),
  input: z.unknown().optional().describe('For approve and retry: another input of the call'),
  output: z.unknown().optional().describe('For resolve: the result of the call'),
  reason: z.string().optional().describe('For reject, skip and abort'),
});

/**
 * Returns a function that makes servers of MCP, as the SDK needs one for each connection or request. Each agent is a tool, and there are tools to
 * read a run and to decide on a waiting call. The servers keep no state: a run continues without its connection. Throws InvalidInput for
 * agents that cannot be distinguished.
 */
export async function agentServers(options: AgentServerOptions): Promise<() => McpServer> {
  if (options.agents === undefined) {
    throw new Refused(501, 'NoAgents', 'Give createGateway its agents: MCP lists them as tools.');
  }
  const tools = toolNames(options.agents);
  const sdk = await import('@modelcontextprotocol/server');
  return () => createAgentServer(sdk, tools, options);
}

function createAgentServer(
  sdk: Sdk,
  tools: ReadonlyMap<string, ServedAgent>,
  options: AgentServerOptions,
): McpServer {
  const { client, caller } = options;
  const server = new sdk.McpServer(
    { name: 'reloop', version: '1' },
    {
      capabilities: { tools: { listChanged: false } },
      requestState: { verify: (state) => readCallState(caller, state) },
    },
  );
  for (const [tool, agent] of tools) {
    server.registerTool(
      tool,
      {
        description: agent.description ?? `Asks the agent ${agent.name}.`,
        inputSchema: z.object({
          input: z.string().describe('The question or task, with all that the agent has to know'),
          session: z.string().optional().describe('A conversation that the question continues'),
          wait,
        }),
      },
      ({ input, session, wait: seconds }, context) =>
        answered(async () => {
          const answers = answersIn(options, context.mcpReq);
          // A model fills in fields that it leaves open.
          const asked = { agent: agent.name, input, session: textOf(session) };
          const state = context.mcpReq.requestState<string>();
          if (state !== undefined)
            return follow(await runOfStart(options, state, asked), seconds, answers, context);
          const key = textOf(fieldOf(context.mcpReq['_meta'], MCP_IDEMPOTENCY_KEY));
          const { id: begun, hasBegun } = await startRun(
            { ...options, imageHosts: undefined }, // the input is a text
            { ...asked, key },
          );
          if (!hasBegun) return queuedAnswer(begun);
          return abilitiesOf(server, context).takesTasks
            ? newTask(client.get(begun), context)
            : follow(client.get(begun), seconds, answers, context);
        }),
    );
  }
  server.registerTool(
    'get_run',
    {
      description: 'Waits for the answer of a run that an agent tool has started, and says how far it is.',
      inputSchema: z.object({ id, wait }),
      annotations: { readOnlyHint: true },
    },
    ({ id: asked, wait: seconds }, context) =>
      answered(async () => {
        demand(caller, 'POST /mcp get_run');
        const answers = answersIn(options, context.mcpReq);
        return follow(await ownRun(options, asked), seconds, answers, context);
      }),
  );
  // The SDK checks the arguments first. A caller without the scope reads of the scope, whatever it sends.
  const shownArguments: z.ZodObject = mayUse(caller, DECIDE) ? decideArguments : z.looseObject({});
  server.registerTool(
    'decide_on_run',
    {
      description:
        "Decides on a call of a run that waits for a person. Only on a person's word: get_run lists the calls and the possible decisions.",
      inputSchema: shownArguments,
    },
    (sent) =>
      answered(async () => {
        demand(caller, DECIDE);
        const { id: asked, decision, call, number, ...fields } = parsed(decideArguments, sent);
        const run = await ownRun(options, asked);
        await decideAs(options, run, call, { type: decision, ...fields } as OperatorDecision, number); // the run checks it
        return answerOf(await run.describe());
      }),
  );
  addTaskMethods(server, sdk, options);
  return server;

  /** The run as the result of the call, from the moment on when the client can ask for the task. */
  async function newTask(run: AgentRun, context: ServerContext): Promise<ToolAnswer> {
    const {
      inputRequests: _,
      result: __,
      ...task
    } = await taskOf(run, await askableBy(options, run.id, abilitiesOf(server, context)));
    return { content: [], resultType: 'task', ...task };
  }

  /**
   * Waits for the run. A client of 2026-07-28 that can ask its person gets the requests to the person as the result, and repeats the call
   * with the answers.
   */
  async function follow(run: AgentRun, seconds: number, answers: PersonsAnswers, context: ServerContext) {
    const { mcpReq } = context;
    const abilities = abilitiesOf(server, context);
    const mayAsk = await askableBy(options, run.id, abilities);
    await decideByAnswers(options, run, answers);
    await followCall(run, seconds * 1000, {
      server,
      request: mcpReq,
      mayAsk: abilities.isModern ? () => false : mayAsk,
      decide: (...sent) => decideAs(options, run, ...sent),
      look: createWorkerLook(client, run),
    });
    const report = await run.describe();
    const open = report.waiting.filter((one) => mayAsk(one) && answers[keyOf(one)] === undefined);
    if (!abilities.isModern || report.status !== 'waiting' || open.length === 0) return answerOf(report);
    return sdk.inputRequired({
      inputRequests: inputRequestsOf(open),
      requestState: callState(caller, run.id),
    });
  }

  /** Makes an error the result of the tool, so that the client's model reads the error. */
  async function answered<T>(task: () => Promise<T>): Promise<T | ToolAnswer> {
    try {
      return await task();
    } catch (error) {
      const { status, detail } = problemOf(error);
      if (status === 500) options.report?.(error);
      return failedAnswer(detail);
    }
  }
}

/** Tools by their names. MCP's names have letters, digits, `_`, `-` and `.` only. */
function toolNames(agents: readonly ServedAgent[]): Map<string, ServedAgent> {
  const byName = new Map<string, ServedAgent>();
  for (const agent of agents) {
    const name = agent.name.replaceAll(/[^\w.-]/gu, '_');
    const other = byName.get(name)?.name ?? (OWN_TOOLS.has(name) ? name : undefined);
    if (other !== undefined) {
      throw new InvalidInput(
        `MCP has one tool name for ${JSON.stringify(other)} and ${JSON.stringify(agent.name)}: ${name}. Rename the agent.`,
      );
    }
    byName.set(name, agent);
  }
  return byName;
}

const OWN_TOOLS: ReadonlySet<string> = new Set(['get_run', 'decide_on_run']);

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
