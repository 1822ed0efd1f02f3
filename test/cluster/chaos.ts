import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentClient } from '../../client/index.ts';
import { createKeyring } from '../../features/encryption/keys.ts';
import { findTemporalBinary } from '../../local/server/binary/binary.ts';
import { startScriptedServer } from '../../features/testing/index.ts';
import { Random } from '../simulation/random.ts';
import { EARLY_CONTINUE_AS_NEW, startDevServer } from '../support/dev-server.ts';
import { type ModelState, chaosModel } from './chaos-model.ts';
import { clearTexts } from './clear-texts.ts';
import { startCluster } from './cluster.ts';
import { type Evidence, collectEvidence } from './evidence.ts';
import { makeLedger, openLedger } from './ledger.ts';
import { VERSIONS, deployFirst, playDeploys } from './deploys.ts';
import { makeFaults } from './process-faults.ts';
import { brokenByProcesses } from './process-laws.ts';
import { type Scraping, startScraping } from './scraped.ts';
import type { Supervised } from './supervised.ts';
import { Traffic } from './traffic.ts';
import { startWorkers } from './workers.ts';

export interface ChaosOptions {
  seed: number;
  /** Time with faults, in seconds. Runs that are open at its end go on to their own ends. */
  seconds: number;
  /** Temporal and the effects on PostgreSQL. Default: the embedded server and a file. */
  postgres: boolean;
  /** Workers and programs encrypt; at the end the database's files are searched for clear texts. */
  encrypted?: boolean;
  /** The workers have two versions, which are promoted and ramped while runs are open. */
  versions?: boolean;
  /** A Prometheus scrapes the workers. */
  prometheus?: boolean;
  /** Runs at a time. */
  open: number;
  say(line: string): void;
}

export interface ChaosReport {
  /** Sentences; none if all laws hold. */
  broken: string[];
  counts: { [what: string]: number };
}

const KEY_ID = 'chaos';
/** Share of the model's requests that fail. */
const FAILING = 0.08;
/** A run in which nothing happens for so long is stuck. */
const STUCK_MS = 180_000;

/** Real workers, a real server and real kills. Every choice comes from the seed; when things happen does not. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, seconds, open, encrypted = false, versions = false, prometheus = false, say } = options;
  const key = encrypted ? randomBytes(32).toString('base64') : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'reloop-chaos-'));
  say(`Logs and data: ${folder}`);
  const random = new Random(seed);
  const counts: { [what: string]: number } = {};
  const did = (what: string) => {
    say(what);
    counts[what] = (counts[what] ?? 0) + 1;
  };
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const rig = await startRig(options, folder, random.fork());
    stops.push(() => rig.stop());
    const model: ModelState = { isOut: false, failing: FAILING, counts: {} };
    const modelServer = await startScriptedServer(chaosModel(seed, model));
    stops.push(() => modelServer.close());
    const scraping = prometheus ? await startScraping(folder) : undefined;
    if (scraping !== undefined) stops.push(() => scraping.stop());
    const pauses = random.fork();
    const workers = await startWorkers({
      folder,
      address: rig.address,
      config: 'test/cluster/chaos-agents.ts',
      env: {
        OPENAI_BASE_URL: modelServer.url,
        CHAOS_SEED: String(seed),
        CHAOS_LEDGER: rig.ledger,
        RELOOP_ENCRYPTION_KEYS: key === undefined ? '' : `${KEY_ID}:${key}`,
      },
      ownEnv: scraping?.env,
      pauseMs: () => pauses.int(0, 4000),
      versions: versions ? VERSIONS : undefined,
    });
    const stopWorkers = () => Promise.all(workers.map((worker) => worker.stop()));
    stops.push(stopWorkers);
    const encryption = key === undefined ? undefined : { keys: { [KEY_ID]: key } };
    const client = await AgentClient.connect({ address: rig.address, encryption });
    stops.push(() => client.close());
    if (versions) await deployFirst(client);
    const traffic = new Traffic({ client, random: random.fork(), open });
    const playing = traffic.play();
    const faults = new AbortController();
    setMaxListeners(0, faults.signal);
    const disturbing = makeFaults({
      random: random.fork(),
      workers,
      killServer: rig.killServer,
      postgres: rig.database,
      model,
      did,
      signal: faults.signal,
    });
    const deploying = versions
      ? playDeploys({ client, random: random.fork(), did, signal: faults.signal })
      : undefined;
    // The server keeps what it was sent.
    const forgetting = setInterval(() => modelServer.requests.splice(0), 10_000);
    stops.push(async () => clearInterval(forgetting));

    await Promise.race([sleep(seconds * 1000), playing, disturbing]);
    faults.abort();
    traffic.drain();
    model.failing = 0;
    await disturbing;
    await deploying;
    say(`No more faults; ${traffic.open.size} runs are open.`);
    await drained(client, traffic, say);
    traffic.stop();
    await playing;
    const measured = await measuredBy(scraping, model, counts);
    await stopWorkers();

    say('Reading the records.');
    const ledger = openLedger(rig.ledger);
    const entries = await ledger.read();
    await ledger.close();
    const { started, words } = traffic;
    const keys = encryption && createKeyring(encryption);
    const evidence = await collectEvidence(client, { started, words, entries }, keys);
    const broken = [...measured, ...brokenByProcesses(evidence)];
    Object.assign(counts, countsOf(evidence), model.counts, { outages: traffic.outages });
    const forced = workers.filter((worker) => worker.forced > 0);
    broken.push(...forced.map(({ name }) => `${name} did not end after SIGTERM`));
    const stray = new Set(traffic.strayErrors.map((error) => error.replaceAll(/\brun-\d+[\w-]*/gu, 'RUN')));
    broken.push(...[...stray].map((error) => `A program met an error that is not documented: ${error}`));
    // Without encryption the search has to find them: a search that never finds anything proves nothing.
    const clear = await clearTexts(rig.files);
    if (encrypted) broken.push(...clear.map((text) => `The database has "${text}" in clear.`));
    else if (clear.length === 0) broken.push('The search for clear texts found none without encryption.');
    // To look into: the database in the folder has the histories.
    await writeFile(join(folder, 'words.json'), JSON.stringify(traffic.words));
    if (broken.length === 0) stops.unshift(() => rm(folder, { recursive: true, force: true }));
    return { broken, counts };
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

/** Returns broken laws of the metrics, and counts the alerts. */
async function measuredBy(
  scraping: Scraping | undefined,
  { counts: ends }: ModelState,
  counts: ChaosReport['counts'],
): Promise<string[]> {
  if (scraping === undefined) return [];
  for (const alert of await scraping.fired()) counts[`alert ${alert}`] = 1;
  return scraping.broken(Object.values(ends).reduce((sum, count) => sum + count, 0));
}

/** Numbers for the table. */
function countsOf({ runs, words, entries, histories }: Evidence): { [what: string]: number } {
  const things = [
    ...runs.map(({ report, isAgain }) => `runs ${report.status}${isAgain ? ', begun again' : ''}`),
    ...[...histories.versions.values()].flatMap((versions) =>
      [...versions].map((one) => `runs on version ${one}`),
    ),
    ...words.map(({ outcome }) => `words ${outcome}`),
    ...entries.map(({ type, tool }) => (type === 'began' ? 'attempts of tools' : `effects of ${tool}`)),
  ];
  const counts: { [what: string]: number } = { 'histories replayed': histories.executions };
  for (const thing of things) counts[thing] = (counts[thing] ?? 0) + 1;
  return counts;
}

interface Rig {
  address: string;
  /** Place of the effects. */
  ledger: string;
  /** Files and folders of Temporal's database. */
  files: string[];
  killServer(): Promise<void>;
  database?: Supervised;
  stop(): Promise<void>;
}

/** No other program takes this port while the server is killed. */
const OWN_PORT = 23_233;

async function startRig(
  { postgres: onPostgres, say }: ChaosOptions,
  folder: string,
  random: Random,
): Promise<Rig> {
  if (!onPostgres) {
    const { path } = await findTemporalBinary({ onProgress: say });
    const database = join(folder, 'temporal.db');
    const file = ['--db-filename', database];
    const pragmas = ['journal_mode=wal', 'synchronous=normal'].flatMap((one) => ['--sqlite-pragma', one]);
    const server = await startDevServer(path, [...EARLY_CONTINUE_AS_NEW, ...file, ...pragmas]);
    const { address, stop } = server;
    const [ledger, killServer] = [join(folder, 'effects'), () => server.killAndRestart()];
    return { address, ledger, files: [database, `${database}-wal`], killServer, stop };
  }
  const cluster = await startCluster({
    port: OWN_PORT,
    folder,
    say,
    pauseMs: () => random.int(500, 4000),
    dynamicConfig: {
      'limit.historyCount.suggestContinueAsNew': [{ value: 400 }],
      'history.workflowIdReuseMinimalInterval': [{ value: '0s' }],
    },
  });
  return {
    address: cluster.address,
    ledger: await makeLedger(cluster.databaseUrl),
    files: [join(folder, 'postgres')],
    killServer: async () => void cluster.server.kill('SIGKILL'),
    database: cluster.postgres,
    stop: () => cluster.stop(),
  };
}

/** Resolves when no run is open, also none that nobody heard of, or when nothing happens any more. */
async function drained(client: AgentClient, traffic: Traffic, say: (line: string) => void): Promise<void> {
  const query = `TaskQueue = '${client.taskQueue}' and ExecutionStatus = 'Running'`;
  let [least, changed] = [Infinity, Date.now()];
  for (;;) {
    const { count } = await client.temporal.workflow.count(query).catch(() => ({ count: Infinity }));
    if (count === 0 && traffic.open.size === 0) return;
    if (count < least) [least, changed] = [count, Date.now()];
    if (Date.now() - changed > STUCK_MS) return say(`${count} runs are stuck.`);
    await sleep(1000);
  }
}
