import type * as types from '@a2a-js/sdk';
import type * as older from '@a2a-js/sdk/compat/v0_3/server';
import type * as errors from '@a2a-js/sdk/errors';
import type * as server from '@a2a-js/sdk/server';
import { Refused } from '../http/problem.ts';

/** The parts of the protocol's SDK that a server needs. `older`: for clients of A2A 0.3. */
export interface Sdk {
  types: typeof types;
  server: typeof server;
  older: typeof older;
  errors: typeof errors;
}

/** Throws Refused where the SDK is not installed. */
export async function loadSdk(): Promise<Sdk> {
  try {
    return {
      types: await import('@a2a-js/sdk'),
      server: await import('@a2a-js/sdk/server'),
      older: await import('@a2a-js/sdk/compat/v0_3/server'),
      errors: await import('@a2a-js/sdk/errors'),
    };
  } catch {
    throw new Refused(501, 'NotInstalled', 'The gateway needs `npm install @a2a-js/sdk` for A2A.');
  }
}
