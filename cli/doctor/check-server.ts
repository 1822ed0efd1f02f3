import { searchAttributes } from '../../agent/names.ts';
import type { Client } from '@temporalio/client';
import { accepts, usualPorts } from '../../server/ports.ts';
import { findTemporalBinary } from '../../server/binary/binary.ts';
import { type EmbeddedServerInfo, runningServer, stateDirectory } from '../../server/server.ts';
import { connectTo, temporalSettings } from '../../client/connect.ts';
import { pollers } from '../../client/task-queue.ts';
import type { Check } from './check-project.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommonOptions } from '../options.ts';
import { waitingPath } from '../web-ui.ts';
import { reloop } from '../../client/typed-command.ts';

const DAY_S = 86_400;

/** The Temporal server that commands would use here, and all that is known of it. Starts nothing. */
export async function checkServer(options: CommonOptions & { taskQueue: string }): Promise<Check[]> {
  const { address, namespace, connection } = temporalSettings(options);
  if (address !== undefined) {
    const fast: Check = {
      name: 'fast settings',
      state: 'note',
      found: 'unknown: only the server itself can tell',
      advice:
        'set system.enableActivityEagerExecution and history.transferProcessorMaxPollRPS in its dynamic config',
    };
    return checkRunning(
      () => connectTo(address, namespace, connection),
      `${address}, as you named it`,
      options.taskQueue,
      [fast, waitingCheck('<its Web UI>', namespace)],
    );
  }
  const binary = await checkBinary();
  const embedded = await runningServer(stateDirectory());
  if (embedded === undefined) return [...binary, ...(await checkPorts())];
  const where = `${embedded.address}, this project's own`;
  return [
    ...binary,
    ...(await checkRunning(
      () => connectTo(embedded.address, namespace),
      where,
      options.taskQueue,
      embeddedChecks(embedded, namespace),
    )),
  ];
}

function embeddedChecks(
  { uiUrl, fastSettings, dbFile, pid }: EmbeddedServerInfo,
  namespace: string,
): Check[] {
  return [
    { name: 'web ui', state: 'ok', found: uiUrl },
    waitingCheck(uiUrl, namespace),
    { name: 'data', state: 'ok', found: `${dbFile}, process ${pid}` },
    { name: 'fast settings', state: fastSettings ? 'ok' : 'note', found: fastSettings ? 'yes' : 'no' },
  ];
}

/** Worth saving as a view of the Web UI's: the runs that wait for a person. */
function waitingCheck(webUi: string, namespace: string): Check {
  return { name: 'waiting runs', state: 'ok', found: webUi + waitingPath(namespace) };
}

/** Looks for the Temporal CLI; fetches nothing, which is what the aborted signal is for. */
async function checkBinary(): Promise<Check[]> {
  const name = 'temporal cli';
  try {
    const { path, source, version } = await findTemporalBinary({
      onProgress: () => undefined,
      signal: AbortSignal.abort(),
    });
    return [{ name, state: 'ok', found: `${path} (from ${source}), ${version}` }];
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TemporalUnreachable') {
      return [{ name, state: 'note', found: 'none yet: the first start fetches it, which takes a while' }];
    }
    return [
      { name, state: 'problem', found: 'none', advice: error.message, exitCode: exitCodes.unreachable },
    ];
  }
}

async function checkPorts(): Promise<Check[]> {
  const { grpc, ui } = usualPorts;
  const taken = [...((await accepts(grpc)) ? [grpc] : []), ...((await accepts(ui)) ? [ui] : [])];
  const ports =
    taken.length === 0
      ? `ports ${grpc} and ${ui} are free`
      : `taken: port ${taken.join(', ')}; others will be used`;
  return [
    {
      name: 'server',
      state: 'ok',
      found: `not running: \`${reloop()} run\` and \`${reloop()} dev\` start one`,
    },
    { name: 'ports', state: taken.length === 0 ? 'ok' : 'note', found: ports },
  ];
}

async function checkRunning(
  connect: () => Promise<Client>,
  where: string,
  taskQueue: string,
  more: Check[],
): Promise<Check[]> {
  try {
    const client = await connect();
    const { serverVersion } = await client.workflowService.getSystemInfo({});
    const server: Check = { name: 'server', state: 'ok', found: `${where}, version ${serverVersion}` };
    return [server, ...more, ...(await checkNamespace(client)), await checkWorkers(client, taskQueue)];
  } catch (error) {
    const advice = error instanceof Error ? error.message : String(error);
    return [{ name: 'server', state: 'problem', found: where, advice, exitCode: exitCodes.unreachable }];
  }
}

async function checkNamespace(client: Client): Promise<Check[]> {
  const { namespace } = client.options;
  try {
    const { config } = await client.workflowService.describeNamespace({ namespace });
    const days = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / DAY_S;
    const short: Partial<Check> =
      days < 7
        ? {
            state: 'note',
            advice:
              'a run is forgotten that long after it ended: raise it with `temporal operator namespace update`',
          }
        : {};
    const found = `${namespace}, keeps ended runs ${days} days`;
    return [{ name: 'namespace', state: 'ok', found, ...short }, await checkSearchAttributes(client)];
  } catch (error) {
    const advice = error instanceof Error ? error.message : String(error);
    return [{ name: 'namespace', state: 'problem', found: namespace, advice, exitCode: exitCodes.usage }];
  }
}

async function checkSearchAttributes(client: Client): Promise<Check> {
  const name = 'search attributes';
  const { namespace } = client.options;
  try {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributes.filter((wanted) => !Object.hasOwn(customAttributes ?? {}, wanted));
    if (missing.length === 0) return { name, state: 'ok', found: searchAttributes.join(', ') };
    return {
      name,
      state: 'note',
      found: `not yet: ${missing.join(', ')}`,
      advice: 'a worker registers them when it starts',
    };
  } catch {
    return { name, state: 'note', found: 'unknown: this server does not let us ask' };
  }
}

async function checkWorkers(client: Client, taskQueue: string): Promise<Check> {
  const workers = await pollers(client, taskQueue);
  const found = `task queue ${taskQueue}: ${workers.length === 0 ? 'nobody' : workers.join(', ')}`;
  if (workers.length > 0) return { name: 'workers', state: 'ok', found };
  return {
    name: 'workers',
    state: 'note',
    found,
    advice: `start one with \`${reloop()} worker\` or \`${reloop()} dev\``,
  };
}
