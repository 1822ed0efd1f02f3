import { vi } from 'vitest';

/**
 * Before each file of a project whose files share processes or threads: our modules are loaded anew, and the environment is
 * as it was at the beginning. What is left of earlier files are the packages: to load Temporal's takes longer than many a
 * file.
 */
const shared = globalThis as { reloopTestsBeganWith?: NodeJS.ProcessEnv };
const before = (shared.reloopTestsBeganWith ??= { ...process.env });
for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
Object.assign(process.env, before);
vi.resetModules();
