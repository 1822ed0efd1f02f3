/**
 * Before each file of a project whose files share processes or threads: restores the environment that the first file found.
 * Modules stay loaded. A file that needs its own begins with `vi.hoisted(() => vi.resetModules())`.
 */
const shared = globalThis as { reloopTestsBeganWith?: NodeJS.ProcessEnv };
const before = (shared.reloopTestsBeganWith ??= { ...process.env });
for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
Object.assign(process.env, before);
