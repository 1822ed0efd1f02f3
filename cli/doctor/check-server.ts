import { searchAttributes } from '../../agent/values/names.ts';
import type { Client } from '@temporalio/client';
import { accepts, usualPorts } from '../../local/server/ports.ts';
import { installedBinary } from '../../local/server/binary/binary.ts';
import { type EmbeddedServerInfo, runningServer, stateDirectory } from '../../local/server/server.ts';
import { connectTo, temporalSettings } from '../../client/connect/connect.ts';
import type { Keyring } from '../../features/encryption/keys.ts';
import { checkKeys } from './check-keys.ts';
import { type Check, note, ok, problem } from './check-result.ts';
import { checkVersions } from './check-versions.ts';
import { type Queues, checkWorkers } from './check-workers.ts';
import { exitCodes } from '../shell/io.ts';
import type { CommonOptions } from '../options/options.ts';
import { waitingPath } from '../connection/web-ui.ts';
import { checkSchedules } from '../../features/schedules/command/check-schedules.ts';
import { checkStuck } from './check-stuck.ts';
import { cliName } from '../../client/connect/cli-name.ts';

const DAY_S = 86_400;

/** The Temporal server that commands would use here, and all that is known of it. Starts nothing. `keys`: those of the project's runs. */
export async function checkServer(options: CommonOptions & Queues, keys?: Keyring): Promise<Check[]> {
  const { address, namespace, connection } = temporalSettings(options);
  if (address !== undefined) {
    const connect = () => connectTo(address, namespace, connection);
    const more = (version: string) => [fastSettings(version), waitingCheck('<its Web UI>', namespace)];
    return checkRunning(connect, `${address}, as you named it`, { ...options, keys, more });
  }
  const binary = await checkBinary();
  const embedded = await runningServer(stateDirectory());
  if (embedded === undefined) return [...binary, ...(await checkPorts(options))];
  const where = `${embedded.address}, this project's own`;
  const connect = () => connectTo(embedded.address, namespace);
  const more = () => embeddedChecks(embedded, namespace);
  const checks = await checkRunning(connect, where, { ...options, keys, more });
  return [...binary, ...checks];
}

const SETTINGS = ['history.transferProcessorMaxPollRPS', 'history.timerProcessorMaxPollRPS'];

/** The advice for a server that was started elsewhere. Eager activities are on by default from server 1.32 on: dynamicconfig/constants.go of 1.29.1 to 1.32.0. */
export function fastSettings(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isEager = major > 1 || minor >= 32;
  const settings = isEager ? SETTINGS : ['system.enableActivityEagerExecution', ...SETTINGS];
  return note(
    'fast settings',
    'cannot be read from here; see docs/production.md#settings-of-the-server',
    `set ${settings.join(', ')} in its dynamic config`,
  );
}

function embeddedChecks(
  { uiUrl, fastSettings: areSet, dbFile, pid }: EmbeddedServerInfo,
  namespace: string,
): Check[] {
  return [
    ok('web ui', uiUrl),
    waitingCheck(uiUrl, namespace),
    ok('data', `${dbFile}, process ${pid}`),
    areSet ? ok('fast settings', 'yes') : note('fast settings', 'no'),
  ];
}

/** Worth saving as a view of the Web UI's: the runs that wait for a person. */
function waitingCheck(webUi: string, namespace: string): Check {
  return ok('waiting runs', webUi + waitingPath(namespace));
}

async function checkBinary(): Promise<Check[]> {
  const name = 'temporal cli';
  try {
    const found = await installedBinary();
    if (found === undefined) return [note(name, 'none yet: the first start fetches it, which takes a while')];
    const { path, source, version } = found;
    return [ok(name, `${path} (from ${source}), ${version}`)];
  } catch (error) {
    return [problem(name, 'none', error, exitCodes.unreachable)];
  }
}

async function checkPorts({ worker = false }: Queues): Promise<Check[]> {
  const { grpc, ui } = usualPorts;
  const taken = [...((await accepts(grpc)) ? [grpc] : []), ...((await accepts(ui)) ? [ui] : [])];
  const ports =
    taken.length === 0
      ? `ports ${grpc} and ${ui} are free`
      : `taken: port ${taken.join(', ')}; others will be used`;
  const server = ok('server', `not running: \`${cliName()} run\` and \`${cliName()} dev\` start one`);
  return [
    worker ? { ...server, state: 'problem', exitCode: exitCodes.unreachable } : server,
    taken.length === 0 ? ok('ports', ports) : note('ports', ports),
  ];
}

async function checkRunning(
  connect: () => Promise<Client>,
  where: string,
  {
    keys,
    more,
    ...options
  }: CommonOptions & Queues & { keys: Keyring | undefined; more(version: string): Check[] },
): Promise<Check[]> {
  try {
    const client = await connect();
    const { serverVersion } = await client.workflowService.getSystemInfo({});
    const server = ok('server', `${where}, version ${serverVersion}`);
    return [
      server,
      ...more(serverVersion),
      ...(await checkNamespace(client)),
      ...(await checkKeys(client, options.taskQueue, keys)),
      ...(await checkWorkers(client, options)),
      ...(await checkVersions(client, options)),
      ...(await checkSchedules(client, options)),
      ...(await checkStuck(client)),
    ];
  } catch (error) {
    return [problem('server', where, error, exitCodes.unreachable)];
  }
}

async function checkNamespace(client: Client): Promise<Check[]> {
  const { namespace } = client.options;
  try {
    const { config } = await client.workflowService.describeNamespace({ namespace });
    const days = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) / DAY_S;
    const advice =
      'a run is forgotten that long after it ended: raise it with `temporal operator namespace update`';
    const found = `${namespace}, keeps ended runs ${days} days`;
    const check = days < 7 ? note('namespace', found, advice) : ok('namespace', found);
    return [check, await checkSearchAttributes(client)];
  } catch (error) {
    return [problem('namespace', namespace, error, exitCodes.usage)];
  }
}

async function checkSearchAttributes(client: Client): Promise<Check> {
  const name = 'search attributes';
  const { namespace } = client.options;
  try {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    const missing = searchAttributes.filter((wanted) => !Object.hasOwn(customAttributes ?? {}, wanted));
    if (missing.length === 0) return ok(name, searchAttributes.join(', '));
    return note(name, `not yet: ${missing.join(', ')}`, 'a worker registers them when it starts');
  } catch {
    return note(name, 'unknown: this server does not let us ask');
  }
}
