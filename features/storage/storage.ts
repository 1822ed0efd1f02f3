import { AsyncLocalStorage } from 'node:async_hooks';
import { ExternalStorage, type StorageDriver } from '@temporalio/common/lib/converter/extstore.js'; // the package itself loads all of Temporal's messages
import { InvalidInput } from '../../agent/values/refusal.ts';
import { isObject } from '../../agent/values/json-object.ts';
import { folderDriver } from './folder-driver.ts';

/**
 * A place for large payloads outside of Temporal: a folder that all processes share, or a driver of Temporal's SDK, such as `S3StorageDriver`
 * of `@temporalio/external-storage-s3`.
 */
export type StorageOptions = (
  | {
      /** Path, seen from the current folder. */
      folder: string;
    }
  | { driver: StorageDriver }
) & {
  /** Payloads from this size on are stored, in bytes. Default: 32,000. */
  leastBytes?: number | undefined;
};

const LEAST_BYTES = 32_000;
const KNOWN = ['folder', 'driver', 'leastBytes'];

/** Problem of the option `storage`; undefined: there is none. */
export function storageProblem(options: unknown): string | undefined {
  if (!isObject(options)) return 'is not an object { folder } or { driver }';
  const other = Object.keys(options).find((name) => !KNOWN.includes(name));
  if (other !== undefined) return `unknown option ${other} (known: ${KNOWN.join(', ')})`;
  const { folder, driver, leastBytes = LEAST_BYTES } = options;
  if ((folder === undefined) === (driver === undefined)) return 'give either a folder or a driver';
  if (folder !== undefined && (typeof folder !== 'string' || folder.trim() === ''))
    return 'folder is not a path';
  if (driver !== undefined && !isDriver(driver))
    return 'driver is not a storage driver of Temporal’s SDK, with name, type, store and retrieve';
  if (!Number.isSafeInteger(leastBytes) || Number(leastBytes) < 1)
    return 'leastBytes is not a whole number of bytes above 0';
  return undefined;
}

/** Makes the SDK's external storage. Throws InvalidInput. */
export function createStorage(options: StorageOptions): ExternalStorage {
  const problem = storageProblem(options);
  if (problem !== undefined) throw new InvalidInput(`storage: ${problem}.`);
  const driver = 'folder' in options ? folderDriver(options.folder) : options.driver;
  return new ExternalStorage({
    drivers: [driver],
    driverSelector: () => (inline.getStore() === true ? null : driver),
    payloadSizeThreshold: options.leastBytes ?? LEAST_BYTES,
  });
}

const inline = new AsyncLocalStorage<true>();

/**
 * Keeps the payloads of what `send` sends in Temporal. For heartbeats: a worker of the SDK (1.24) ends when a heartbeat cannot be stored, and
 * each one would be another object. Only for a worker that has a storage: an AsyncLocalStorage in use costs each await of the process.
 */
export function keptInline<T>(send: () => T): T {
  return inline.run(true, send);
}

/** An external storage that is found, by the name of its driver, when the first reference is read. It stores nothing. */
export class LazyStorage extends ExternalStorage {
  readonly #find: () => Promise<ExternalStorage | undefined>;

  constructor(find: () => Promise<ExternalStorage | undefined>) {
    super({ drivers: [folderDriver('.')], driverSelector: () => null });
    this.#find = find;
  }

  override getDriver(name: string): StorageDriver {
    return {
      name,
      type: name,
      store: () => Promise.reject(new Error('nothing is stored here')),
      retrieve: async (context, claims) => {
        const driver = (await this.#find())?.getDriver(name);
        if (!driver) throw new StorageMissing(name);
        return driver.retrieve(context, claims);
      },
    };
  }
}

/** A payload is in a storage that this process does not have. The message says what to do. */
export class StorageMissing extends Error {
  override name = 'StorageMissing';

  constructor(driver: string) {
    super(
      `This is kept outside of Temporal (driver "${driver}"), and there is no such storage here. Add the \`storage\` of the workers to the config, or to AgentClient.connect.`,
    );
  }
}

function isDriver(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { name, type, store, retrieve } = value;
  return (
    [name, type].every((word) => typeof word === 'string' && word !== '') &&
    [store, retrieve].every(isFunction)
  );
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}
