import { secretValues } from '../../../agent/text/secrets.ts';
import { type HeaderFields, type McpServer, programOf } from './server-spec.ts';

type Setting = readonly [name: string, value: string];

/** A server's secrets, which no message may repeat: the server may repeat them, and messages end up in histories. */
export function secretsOf(server: McpServer): string[] {
  const settings: Setting[] =
    'url' in server
      ? [['', server.url], ...Object.entries(typeof server.headers === 'object' ? server.headers : {})]
      : [...Object.entries(server.env ?? {}), ...argumentsOf(server.args ?? [])];
  return secretValues(settings.flatMap(partsOf));
}

/** Secret values among headers. */
export function secretsOfHeaders(headers: HeaderFields): string[] {
  return secretValues(Object.entries(headers));
}

/** Each with the option that it belongs to: `--key=value`, `--key value`, `KEY=value`, or on its own. */
function argumentsOf(args: readonly string[]): Setting[] {
  const program = programOf(args);
  return args.flatMap((arg, index): Setting[] => {
    if (index <= program || /\s/u.test(arg)) return []; // a line of a script is not a secret
    const [, name, value] = /^(-*[\w-]+)=(.*)$/su.exec(arg) ?? [];
    if (name !== undefined && value !== undefined) return [[name, value]];
    if (arg.startsWith('-')) return [];
    const before = args[index - 1] ?? '';
    return [[before.startsWith('-') ? before : '', arg]];
  });
}

/** Secret parts of an address, if there are any: password, parts of its path, and its query. The host may be shown. */
function partsOf([name, value]: Setting): Setting[] {
  if (!/^[\w+.-]+:\/\//u.test(value) || !URL.canParse(value)) return [[name, value]];
  const { password, pathname, searchParams } = new URL(value);
  const path = pathname.split('/').map((part): Setting => ['', part]);
  return [['password', password], ['password', decoded(password)], ...path, ...searchParams];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
