import { type Command, spawnCommand } from './cli.ts';

/** A program of a user's: TypeScript, run as `node --import tsx FILE`. */
export type Program = Command;

/** `file`: a path in this repository. */
export function startProgram(file: string, args: string[], env: { [name: string]: string }): Program {
  return spawnCommand(['--import', 'tsx', file, ...args], env);
}
