import type { ExternalStorage, PayloadCodec } from '@temporalio/common';
import { cliName } from '../../client/connect/cli-name.ts';
import { createCodec } from '../../features/encryption/codec.ts';
import { type Keyring, environmentKeyring, noKeys } from '../../features/encryption/keys.ts';
import { type CodecServer, serveCodec } from '../../features/encryption/serve-codec.ts';
import { retrieve } from '../../history/read/payloads.ts';
import { runningServer, stateDirectory } from '../../local/server/server.ts';
import { usualPorts } from '../../local/server/ports.ts';
import { configStorage } from '../connection/config-storage.ts';
import { loadCommandConfig } from '../connection/command-config.ts';
import { tokenOf } from '../connection/token.ts';
import type { CommonOptions } from '../options/options.ts';
import { type Io, ENDING, UsageError, exitCodes, printJson, say, untilSignal } from '../shell/io.ts';

interface CodecServerOptions extends CommonOptions {
  host: string;
  port: number;
  /** Origins of Web UIs. Default: that of this project's server. */
  origin?: string[];
}

/** `reloop codec-server`: decodes payloads for the Web UI and Temporal's CLI, until a signal ends it. */
export async function codecServer(io: Io, options: CodecServerOptions): Promise<number> {
  const { host, port } = options;
  const { keys, storage } = await sourcesOf(io, options);
  const origins = (options.origin ?? (await usualOrigins())).map(checkedOrigin);
  const token = tokenOf(io.env, 'RELOOP_CODEC_TOKEN');
  const codec = storedCodec(createCodec(keys), storage);
  const { signal, stop } = untilSignal(io);
  let server: CodecServer | undefined;
  try {
    server = await serveCodec({
      codec,
      host,
      port,
      token,
      origins,
      onProblem: (text) => say(io, text),
    }).catch((error: unknown) => {
      throw new UsageError(`codec-server cannot listen on ${host}:${port}: ${String(error)}`);
    });
    const endpoint = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
    say(io, `Codec server ready: ${endpoint}/${token}`);
    say(
      io,
      `It answers pages of ${origins.join(' and ')}. Enter that URL in the Web UI: the glasses, top right.`,
    );
    say(io, `Temporal's CLI: --codec-endpoint ${endpoint} --codec-auth "Bearer ${token}"`);
    if (options.json === true) printJson(io, { endpoint, token, origins });
    await signal;
    say(io, ENDING);
    return exitCodes.answered;
  } finally {
    stop();
    await server?.close();
  }
}

/** Keys, and the storage of payloads outside of Temporal. One of the two is enough. */
async function sourcesOf(
  io: Io,
  { config }: CommonOptions,
): Promise<{ keys: Keyring; storage: ExternalStorage }> {
  const fromEnvironment = environmentKeyring(io.env);
  if (fromEnvironment !== undefined) return { keys: fromEnvironment, storage: configStorage(config) };
  const { encryption, storage } = (await loadCommandConfig(config)).loaded;
  if (encryption !== undefined || storage !== undefined)
    return { keys: encryption ?? noKeys, storage: storage ?? configStorage(config) };
  throw new UsageError(
    `There are no keys: set RELOOP_ENCRYPTION_KEYS, or \`encryption: { keys }\` in the config, and start \`${cliName()} codec-server\` again.`,
  );
}

/** The codec of payloads, and of those that are kept in the storage. */
function storedCodec({ encode, decode }: PayloadCodec, storage: ExternalStorage): PayloadCodec {
  return { encode, decode: async (payloads) => decode(await retrieve(storage, payloads)) };
}

/** A browser may know this project's Web UI by two names. */
async function usualOrigins(): Promise<string[]> {
  const running = await runningServer(stateDirectory());
  const port = running === undefined ? String(usualPorts.ui) : new URL(running.uiUrl).port;
  return [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
}

function checkedOrigin(typed: string): string {
  const { origin } = URL.canParse(typed) ? new URL(typed) : { origin: 'null' };
  if (origin !== 'null') return origin;
  throw new UsageError(`--origin ${typed}: write the address of the Web UI, such as http://localhost:8233.`);
}
