import { randomBytes } from 'node:crypto';
import { LEAST_TOKEN_CHARS } from '../../agent/values/limits.ts';
import { setValue } from '../../agent/values/set-value.ts';
import { UsageError } from '../shell/io.ts';

/** The token of an environment variable, or a random one. Throws UsageError for a token that can be guessed, or that no request can have. */
export function tokenOf(env: NodeJS.ProcessEnv, variable: string): string {
  const token = setValue(env[variable]) ?? randomBytes(16).toString('hex');
  if (token.length < LEAST_TOKEN_CHARS) {
    throw new UsageError(
      `${variable} has fewer than ${LEAST_TOKEN_CHARS} characters. \`openssl rand -hex 16\` prints one.`,
    );
  }
  if (/[^\u{21}-\u{7e}]/u.test(token))
    throw new UsageError(`${variable} has a space, or a letter that is not ASCII: no request could send it.`);
  return token;
}
