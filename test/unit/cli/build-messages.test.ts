import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { neededMessages } from '../../../cli/build-messages.ts';

const fields = (...types: string[]) => ({
  fields: Object.fromEntries(types.map((type, at) => [`f${at}`, { type }])),
});

test('the messages of a command are those of the methods that its code calls, those that it names, and all in them', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'reloop-messages-')), 'code.js');
  writeFileSync(
    file,
    'await service.listRuns({}); import_proto.temporal.api.common.v1.Named.decode(bytes); proto_1.google.rpc.Status.decode(details); "getRun"',
  );
  const common = {
    nested: {
      Named: fields('string'),
      Inner: fields('Inner', 'Kind'),
      Kind: { values: {} },
      Other: fields(),
    },
  };
  const methods = {
    ListRuns: { requestType: 'ListRequest', responseType: '.temporal.api.service.v1.ListResponse' },
    GetRun: { requestType: 'GetRequest', responseType: 'GetRequest' },
  };
  const service = {
    nested: {
      Runs: { methods },
      ListRequest: { ...fields('temporal.api.common.v1.Inner'), nested: { Unused: fields() } },
      ListResponse: fields('int32'),
      GetRequest: fields('temporal.api.common.v1.Other'),
    },
  };
  const rpc = { nested: { Status: fields('Detail'), Detail: fields(), Other: fields() } };
  const root = {
    nested: {
      google: { nested: { rpc } },
      temporal: {
        nested: {
          api: { nested: { common: { nested: { v1: common } }, service: { nested: { v1: service } } } },
        },
      },
    },
  };
  neededMessages(root, [file]);
  expect(Object.keys(common.nested)).toEqual(['Named', 'Inner', 'Kind']);
  expect(Object.keys(rpc.nested)).toEqual(['Status', 'Detail']);
  expect(Object.keys(service.nested)).toEqual(['Runs', 'ListRequest', 'ListResponse']);
  expect(Object.keys(methods)).toEqual(['ListRuns']);
  expect(service.nested.ListRequest.nested).toEqual({});
});
