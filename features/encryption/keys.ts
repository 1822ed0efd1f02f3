import { isObject } from '../../agent/values/json-object.ts';
import { InvalidInput } from '../../agent/values/refusal.ts';
import { setValue } from '../../agent/values/set-value.ts';

/** A key of AES-256: 32 bytes, or the same as base64. `id` is recorded in clear with each payload. */
export interface EncryptionKey {
  id: string;
  key: string | Uint8Array;
}

/**
 * Returns a key, such as one of a KMS. Without an id: the key that encrypts, asked for again after 5 minutes. With an id: the key that an
 * earlier payload names, or undefined. The keys are kept in memory.
 */
export type KeySource = (keyId?: string) => EncryptionKey | undefined | Promise<EncryptionKey | undefined>;

export interface EncryptionOptions {
  /**
   * Keys, the newest first: the first one encrypts, all of them decrypt. A list of `{ id, key }`, a record of id and key, or a function.
   * A key is 32 bytes as base64: `openssl rand -base64 32` prints one.
   */
  keys: readonly EncryptionKey[] | { readonly [keyId: string]: string | Uint8Array } | KeySource;
}

/** Keys as the codec asks for them. */
export interface Keyring {
  /** The key that encrypts. undefined: nothing is encrypted. */
  current(): Promise<SecretKey | undefined>;
  /** A key by its id. Throws EncryptionKeyMissing. */
  find(id: string): Promise<SecretKey>;
}

export interface SecretKey {
  id: string;
  bytes: Uint8Array;
}

/** A payload was encrypted with a key that is not here. The message names the key id, and what to do. */
export class EncryptionKeyMissing extends Error {
  override name = 'EncryptionKeyMissing';
  readonly keyId: string;

  constructor(keyId: string, reason: string, options?: ErrorOptions) {
    super(
      `This is encrypted with the key "${keyId}", and ${reason}. Add that key to \`encryption: { keys }\` or ${VARIABLE}, after the key that encrypts.`,
      options,
    );
    this.keyId = keyId;
  }
}

const VARIABLE = 'RELOOP_ENCRYPTION_KEYS';
const KEY_BYTES = 32;
/** Longest key id. It is recorded with each payload, and a workflow task has up to about 1000 payloads: 400 KB of 1 MB that is free. */
const MOST_ID_CHARS = 400;
/** A source may change the key that encrypts. */
const CURRENT_MS = 5 * 60_000;

/** Problem of the option `encryption`, without the keys in it; undefined: there is none. */
export function encryptionProblem(options: unknown): string | undefined {
  if (!isPlain(options)) return 'is not an object { keys }';
  const { keys, ...unknown } = options;
  const [other] = Object.keys(unknown);
  if (other !== undefined) return `unknown option ${other} (known: keys)`;
  if (typeof keys === 'function') return undefined;
  if (!Array.isArray(keys) && !isPlain(keys)) {
    return 'keys is not a list of { id, key }, a record of id and key, or a function. `openssl rand -base64 32` prints a key';
  }
  const list = listOf(keys as KeyList); // each is checked below
  if (list.length === 0) return 'keys is empty. `openssl rand -base64 32` prints a key';
  const numeric = Array.isArray(keys) ? undefined : list.find(({ id }) => /^\d+$/u.test(id));
  if (numeric !== undefined && list.length > 1) {
    return `JavaScript sorts the key id "${numeric.id}" of the record, so the order is lost. Give a list: keys: [{ id, key }]`;
  }
  const ids = list.map((one) => (isPlain(one) ? one['id'] : undefined));
  const twice = ids.find((id, index) => id !== undefined && ids.indexOf(id) < index);
  if (twice !== undefined) return `two keys have the id "${twice}". Rename one`;
  return list.map(keyProblem).find((problem) => problem !== undefined);
}

/** Makes a keyring. Throws InvalidInput that starts with `where`. */
export function createKeyring(options: EncryptionOptions, where = 'encryption'): Keyring {
  const problem = encryptionProblem(options);
  if (problem !== undefined) throw new InvalidInput(`${where}: ${problem}.`);
  const { keys } = options;
  if (isSource(keys)) return sourceKeyring(keys);
  const [first, ...others] = listOf(keys).map(secretOf);
  const all = new Map([first, ...others].flatMap((key) => (key === undefined ? [] : [[key.id, key]])));
  return {
    current: () => Promise.resolve(first),
    async find(id) {
      const found = all.get(id);
      if (found !== undefined) return found;
      throw new EncryptionKeyMissing(id, `the keys here are ${[...all.keys()].join(', ')}`);
    },
  };
}

/** The keys of RELOOP_ENCRYPTION_KEYS; undefined: the variable is not set. Throws InvalidInput. */
export function environmentKeyring(env: NodeJS.ProcessEnv = process.env): Keyring | undefined {
  const value = setValue(env['RELOOP_ENCRYPTION_KEYS']);
  if (value === undefined) return undefined;
  const keys = value.split(',').map((pair) => {
    const [id = '', key, ...rest] = pair.trim().split(':');
    if (key !== undefined && rest.length === 0) return { id: id.trim(), key: key.trim() };
    throw new InvalidInput(
      `${VARIABLE}: write ID:KEY,ID:KEY, the newest first; a KEY is 32 bytes as base64.`,
    );
  });
  return createKeyring({ keys }, VARIABLE);
}

/** A keyring without keys: it encrypts nothing, and says which key is missing. */
export const noKeys: Keyring = {
  current: () => Promise.resolve(undefined),
  find: (id) => Promise.reject(new EncryptionKeyMissing(id, 'there are no keys here')),
};

function sourceKeyring(source: KeySource): Keyring {
  const known = new Map<string, Promise<SecretKey>>();
  let latest: { until: number; key: Promise<SecretKey> } | undefined;
  const remember = (key: SecretKey) => (known.set(key.id, Promise.resolve(key)), key);
  const askCurrent = async () => {
    const given = checked(await source());
    if (given !== undefined) return remember(given);
    throw new InvalidInput('encryption.keys(): the function gave no key to encrypt with.');
  };
  const askFor = async (id: string) => {
    const given = await Promise.resolve(source(id)).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new EncryptionKeyMissing(id, `encryption.keys("${id}") failed: ${reason}`, { cause });
    });
    const key = checked(given);
    if (key?.id === id) return key;
    const other = key === undefined ? 'nothing' : `the key "${key.id}"`;
    throw new EncryptionKeyMissing(id, `encryption.keys("${id}") gave ${other}`);
  };
  return {
    current() {
      if (latest !== undefined && latest.until > Date.now()) return latest.key;
      const entry = { until: Date.now() + CURRENT_MS, key: askCurrent() };
      latest = entry;
      // A failure is not kept.
      entry.key.catch(() => (latest === entry ? (latest = undefined) : undefined));
      return entry.key;
    },
    find(id) {
      const found = known.get(id);
      if (found !== undefined) return found;
      const key = askFor(id);
      known.set(id, key);
      key.catch(() => known.delete(id));
      return key;
    },
  };
}

function checked(key: EncryptionKey | undefined): SecretKey | undefined {
  if (key === undefined) return undefined;
  const problem = keyProblem(key);
  if (problem !== undefined) throw new InvalidInput(`encryption.keys(): ${problem}.`);
  return secretOf(key);
}

function keyProblem(one: unknown): string | undefined {
  if (!isPlain(one)) return 'a key of the list is not { id, key }';
  const { id, key } = one;
  if (typeof id !== 'string' || id.trim() === '') return 'a key has no id';
  if (id.length > MOST_ID_CHARS)
    return `a key id has ${id.length} characters, at most ${MOST_ID_CHARS} are allowed`;
  const bytes = bytesOf(key);
  if (bytes === undefined) return `the key "${id}" is not base64`;
  if (bytes.length === KEY_BYTES) return undefined;
  return `the key "${id}" has ${bytes.length} bytes, and AES-256 takes ${KEY_BYTES}. \`openssl rand -base64 32\` prints one`;
}

function secretOf({ id, key }: EncryptionKey): SecretKey {
  return { id, bytes: bytesOf(key) ?? new Uint8Array() }; // checked before
}

function bytesOf(key: unknown): Uint8Array | undefined {
  if (key instanceof Uint8Array) return key;
  if (typeof key !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/u.test(key)) return undefined;
  return Buffer.from(key, 'base64');
}

type KeyList = Exclude<EncryptionOptions['keys'], KeySource>;

function listOf(keys: KeyList): readonly EncryptionKey[] {
  if (Array.isArray(keys)) return keys as readonly EncryptionKey[]; // the type of a readonly list is lost
  return Object.entries(keys).map(([id, key]) => ({ id, key: key as EncryptionKey['key'] }));
}

function isSource(keys: EncryptionOptions['keys']): keys is KeySource {
  return typeof keys === 'function';
}

function isPlain(value: unknown): value is { [name: string]: unknown } {
  return isObject(value);
}
