import type { ExportedSubAgent, RunExport } from '../../client/export/run-export.ts';

/**
 * An exported run as JSON, each item of its lists on a separate line, so that two files can be compared, and one be
 * searched line by line. In pieces: all requests together can be longer than a string may be.
 */
export function* exportJson(exported: RunExport): Generator<string> {
  yield* exportPieces(exported);
  yield '\n';
}

function* exportPieces({ subAgents, requests, ...fields }: RunExport): Generator<string> {
  let separator = '{\n';
  for (const [name, field] of Object.entries(fields)) {
    yield `${separator}${JSON.stringify(name)}: `;
    separator = ',\n';
    if (Array.isArray(field)) yield* list(field, onOneLine);
    else yield* onOneLine(field);
  }
  yield ',\n"subAgents": ';
  yield* list(subAgents, subAgentPieces);
  if (requests !== undefined) {
    yield ',\n"requests": ';
    yield* list(requests, onOneLine);
  }
  yield '\n}';
}

function* subAgentPieces({ export: exported, ...fields }: ExportedSubAgent): Generator<string> {
  yield `${JSON.stringify(fields).slice(0, -1)},"export":`;
  if (exported === null) yield 'null';
  else yield* exportPieces(exported);
  yield '}';
}

function* list<T>(items: readonly T[], pieces: (item: T) => Generator<string>): Generator<string> {
  yield '[';
  let separator = '\n';
  for (const item of items) {
    yield separator;
    separator = ',\n';
    yield* pieces(item);
  }
  yield items.length === 0 ? ']' : '\n]';
}

function* onOneLine(value: unknown): Generator<string> {
  yield JSON.stringify(value);
}
