import { randomBytes } from 'node:crypto';
import { setValue } from '../../agent/values/set-value.ts';

/** The token of an environment variable, else a random one. */
export function tokenOf(env: NodeJS.ProcessEnv, variable: string): string {
  return setValue(env[variable]) ?? randomBytes(16).toString('hex');
}
