import { dirname, relative, resolve } from 'node:path';
import { findEnvFile, readEnvFile } from '../env-file.ts';
import type { Io } from '../io.ts';
import type { CommonOptions } from '../options.ts';
import type { Check } from './check-project.ts';

/** Which names the project's `.env` sets; never a value. */
export function checkEnvFile({ env }: Io, { config }: CommonOptions): Check[] {
  const file = findEnvFile(config === undefined ? process.cwd() : dirname(resolve(config)));
  if (file === undefined) return [];
  const values = readEnvFile(file);
  const names = Object.keys(values);
  const other = names.filter((name) => env[name] !== values[name]);
  const sets = names.length === 0 ? 'sets nothing' : `sets ${names.join(', ')}`;
  const but = other.length === 0 ? '' : `; the environment has its own ${other.join(', ')}, which counts`;
  return [{ name: '.env', state: 'ok', found: `${relative(process.cwd(), file)} ${sets}${but}` }];
}
