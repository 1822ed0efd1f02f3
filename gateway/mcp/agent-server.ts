import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from '@hono/zod-openapi';
import type { OperatorDecision } from '../../agent/rules/decisions.ts';
import { decisionNames } from '../../agent/rules/decisions.ts';
import { fieldOf } from '../../agent/values/values.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import type { AgentRun } from '../../client/api/agent-run.ts';
import { demand, mayUse } from '../http/caller.ts';
import { ownRun } from '../start/own-runs.ts';
import { Refused, problemOf } from '../http/problem.ts';
import type { ProtocolRequest } from '../http/protocol.ts';
import type { ServedAgent } from '../http/route.ts';
import { createWorkerLook } from '../replies/worker-parts.ts';
import { decideAs } from '../start/decide-as.ts';
import { startRun } from '../start/start-run.ts';
import { type ToolAnswer, answerOf, failedAnswer, queuedAnswer } from './tool-answer.ts';
import { type CallContext, followCall } from './follow-call.ts';

export type AgentServerOptions = Pick<ProtocolRequest, 'client' | 'caller' | 'agents'>;

const DECIDE = 'POST /mcp decide_on_run';
/** Idempotency key of a call, as Reloop's own `mcp()` tools send it. */
const KEY = 'reloop/idempotency-key';
const WAIT_SECONDS = 50;
const MOST_WAIT_SECONDS = 86_400;

const wait = z
  .number()
  .min(0)
  .max(MOST_WAIT_SECONDS)
  .default(WAIT_SECONDS)
  .describe('Seconds to wait for the answer. The run continues after that; get_run has its answer then.');
const id = z.string().describe('The id of the run');

/**
 * An MCP server that has each agent as a tool, and tools to read a run and to decide on a waiting call. The server keeps no state: a run
 * continues without its connection. Throws InvalidInput for agents that cannot be told apart.
 */
export async function createAgentServer(options: AgentServerOptions): Promise<McpServer> {
  const { client, caller, agents } = options;
  if (agents === undefined) {
    throw new Refused(501, 'NoAgents', 'Give createGateway its agents: MCP lists them as tools.');
  }
  const { McpServer: Server } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const server = new Server({ name: 'reloop', version: '1' });
  for (const [tool, agent] of toolNames(agents)) {
    server.registerTool(
      tool,
      {
        description: agent.description ?? `Asks the agent ${agent.name}.`,
        inputSchema: {
          input: z.string().describe('The question or task, with all that the agent has to know'),
          session: z.string().optional().describe('A conversation that the question continues'),
          wait,
        },
      },
      ({ input, session, wait: seconds }, extra) =>
        answered(async () => {
          const key = textOf(fieldOf(extra['_meta'], KEY));
          const run = await startRun(
            { ...options, imageHosts: undefined }, // the input is a text
            { agent: agent.name, input, session, key },
          );
          return run.hasBegun ? follow(client.get(run.id), seconds, extra) : queuedAnswer(run.id);
        }),
    );
  }
  server.registerTool(
    'get_run',
    {
      description: 'Waits for the answer of a run that an agent tool has started, and says how far it is.',
      inputSchema: { id, wait },
      annotations: { readOnlyHint: true },
    },
    ({ id: asked, wait: seconds }, extra) =>
      answered(async () => {
        demand(caller, 'POST /mcp get_run');
        return follow(await ownRun(options, asked), seconds, extra);
      }),
  );
  server.registerTool(
    'decide_on_run',
    {
      description:
        "Decides on a call of a run that waits for a person. Only on a person's word: get_run lists the calls and the possible decisions.",
      inputSchema: {
        id,
        decision: z.enum(decisionNames),
        call: z.string().optional().describe('The call, such as 3.1, where several calls wait'),
        number: z.int().optional().describe('The n of the wait that the person has seen'),
        input: z.unknown().optional().describe('For approve and retry: another input of the call'),
        output: z.unknown().optional().describe('For resolve: the result of the call'),
        reason: z.string().optional().describe('For reject, skip and abort'),
      },
    },
    ({ id: asked, decision, call, number, ...fields }) =>
      answered(async () => {
        demand(caller, DECIDE);
        const run = await ownRun(options, asked);
        await decideAs(options, run, call, { type: decision, ...fields } as OperatorDecision, number); // the run checks it
        return answerOf(await run.describe());
      }),
  );
  return server;

  async function follow(
    run: AgentRun,
    seconds: number,
    context: Omit<CallContext, 'server' | 'decide' | 'look'>,
  ) {
    await followCall(run, seconds * 1000, {
      ...context,
      server,
      decide: mayUse(caller, DECIDE) ? (...sent) => decideAs(options, run, ...sent) : undefined,
      look: createWorkerLook(client, run),
    });
    return answerOf(await run.describe());
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

/** Makes an error the result of the tool, so that the client's model reads the error. */
async function answered(task: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
  try {
    return await task();
  } catch (error) {
    const { status, detail } = problemOf(error);
    if (status === 500) throw error;
    return failedAnswer(detail);
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
