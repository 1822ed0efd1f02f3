/** The runs of a worker share all modules; the sandbox gives each run the properties of its global object that it has set. */
// oxlint-disable-next-line no-restricted-globals -- the state of a run has no other place
const sandbox = globalThis as { reloopRun?: Map<() => unknown, unknown> };

/** Keeps a value for each run: `make` is called at its first use in a run. */
export function perRun<T>(make: () => T): () => T {
  return () => {
    const values = (sandbox.reloopRun ??= new Map());
    if (!values.has(make)) values.set(make, make());
    return values.get(make) as T; // what `make` returned
  };
}
