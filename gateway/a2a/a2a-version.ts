import { Refused } from '../http/problem.ts';

export type A2aVersion = '0.3' | '1.0';

/** The version of A2A that a client speaks. A client of 0.3 does not say so. Throws Refused. */
export function versionOf({ headers }: Request): A2aVersion {
  const version = headers.get('a2a-version') || '0.3';
  if (version === '0.3' || version === '1.0') return version;
  throw new Refused(400, 'VersionNotSupported', `This gateway speaks A2A 1.0 and 0.3, not ${version}.`);
}
