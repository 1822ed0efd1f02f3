import type { StartOptions } from '../../client/index.ts';
import type { CallerField } from '../../agent/start/start-fields.ts';
import { startSchema } from './field-schema.ts';
import { type Caller, isAllowed } from '../http/caller.ts';
import { type BodyRoute, fieldsThatNeed } from '../access/field-table.ts';
import { Refused } from '../http/problem.ts';
import { parsed } from '../http/read-body.ts';

/** Fields of a start, as a body of JSON has them. */
export type SetFields = Pick<StartOptions, CallerField>;

/** Throws Refused for a field of the body that the caller may not set. */
export function checkFields(caller: Caller, route: BodyRoute, body: object): void {
  const given = new Map(Object.entries(body));
  for (const { field, may } of fieldsThatNeed(route)) {
    if (given.get(field) === undefined || isAllowed(caller, may)) continue;
    throw new Refused(
      403,
      'Forbidden',
      `${caller.name} may not set ${field}. The entry of ${caller.name} needs may: ["${may}"].`,
    );
  }
}

/** Reads the fields of a start from the body of a protocol. Throws Refused for those that the caller may not set. */
export function readFields(caller: Caller, route: BodyRoute, body: object): SetFields {
  checkFields(caller, route, body);
  const names = new Set<string>(fieldsThatNeed(route).map(({ field }) => field));
  const given = Object.entries(body).filter(([field]) => names.has(field));
  return parsed(startSchema, Object.fromEntries(given));
}
