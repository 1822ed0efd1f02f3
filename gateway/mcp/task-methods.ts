import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { z } from '@hono/zod-openapi';
import { type AgentRun, isOpenStatus } from '../../client/index.ts';
import { MCP_TASKS } from '../../agent/values/names.ts';
import { demand } from '../http/caller.ts';
import { problemOf } from '../http/problem.ts';
import { bad, parsed } from '../http/read-body.ts';
import { ownRun } from '../start/own-runs.ts';
import type { AgentServerOptions, Sdk } from './agent-server-options.ts';
import { abilitiesOf } from './client-abilities.ts';
import { answersIn, decideByAnswers } from './decision-form.ts';
import { askableBy } from './askable.ts';
import { taskOf } from './run-task.ts';

/** The SDK takes `inputResponses` out of the parameters of each request: it is a field of the context. */
const params = z.object({ taskId: z.string() });

/**
 * Adds the methods of the extension io.modelcontextprotocol/tasks. A task is a run, so each gateway answers for each task, also for one
 * that another tool or protocol has started.
 */
export function addTaskMethods(server: McpServer, sdk: Sdk, options: AgentServerOptions): void {
  const { caller } = options;
  server.server.registerCapabilities({ extensions: { [MCP_TASKS]: {} } });
  method('tasks/get', async (run, context) =>
    taskOf(run, await askableBy(options, run.id, abilitiesOf(server, context))),
  );
  method('tasks/update', async (run, { mcpReq }) => {
    if (mcpReq.inputResponses === undefined)
      throw bad('inputResponses is missing: the answers, by the keys of inputRequests.');
    await decideByAnswers(options, run, answersIn(options, mcpReq));
    return {};
  });
  method('tasks/cancel', async (run) => {
    await cancel(run);
    return {};
  });

  /** `serve` gets a run that the caller may see. Its errors are MCP's: -32602 for one of the sender, -32603 for one of the gateway. */
  function method(
    name: TaskMethod,
    serve: (run: AgentRun, context: ServerContext) => Promise<{ [field: string]: unknown }>,
  ): void {
    server.server.setRequestHandler(name, { params: z.looseObject({}) }, async (sent, context) => {
      if (!abilitiesOf(server, context).takesTasks)
        throw new sdk.MissingRequiredClientCapabilityError({
          requiredCapabilities: { extensions: { [MCP_TASKS]: {} } },
        });
      try {
        demand(caller, `POST /mcp ${name}`);
        return await serve(await ownRun(options, parsed(params, sent).taskId), context);
      } catch (error) {
        const { status, detail } = problemOf(error);
        if (status === 500) options.report?.(error);
        throw new sdk.ProtocolError(
          status >= 500 ? sdk.ProtocolErrorCode.InternalError : sdk.ProtocolErrorCode.InvalidParams,
          detail,
        );
      }
    });
  }
}

/** A run that is over stays as it is, which MCP wants acknowledged too. */
async function cancel(run: AgentRun): Promise<void> {
  const { status } = await run.describe();
  if (isOpenStatus(status)) await run.cancel();
}

type TaskMethod = 'tasks/get' | 'tasks/update' | 'tasks/cancel';
