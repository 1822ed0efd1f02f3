import {
  type BodyRoute,
  type FieldRule,
  type Permission,
  bodyFields,
  bodyRoutes,
} from '../../gateway/access/field-table.ts';
import { type RouteScopes, routeScopes } from '../../gateway/access/route-table.ts';

/** The tables of SECURITY.md, as the gateway has them. `npm run docs:reference` writes them. */
function accessTables(): { routes: string; fields: string } {
  const routes: [string, RouteScopes][] = Object.entries(routeScopes);
  const fields: [string, { may: Permission; on: { readonly [R in BodyRoute]: FieldRule } }][] =
    Object.entries(bodyFields);
  return {
    routes: table([
      ['route', 'scopes'],
      ...routes.map(([route, scopes]) => [code(route), scopesText(scopes)]),
    ]),
    fields: table([
      ['field', '`may`', ...bodyRoutes.map((route) => code(route.split(' ')[1] ?? ''))],
      ...fields.map(([field, { may, on }]) => [field, code(may), ...bodyRoutes.map((route) => on[route])]),
    ]),
  };
}

function scopesText(scopes: RouteScopes): string {
  const each = scopes.map((one) =>
    typeof one === 'string' ? code(one) : one.map((scope) => code(scope)).join(' or '),
  );
  return each.length === 0 ? 'any caller' : each.join(' and ');
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Columns have the width of their longest cell, as prettier writes them. */
function table([head = [], ...rows]: string[][]): string {
  const widths = head.map((_cell, column) =>
    Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** The page with the tables in their places. */
export function withAccessTables(page: string): string {
  return Object.entries(accessTables()).reduce(
    (text, [name, rows]) =>
      text.replace(
        new RegExp(`(<!-- table: ${name} -->\n)[\\s\\S]*?(\n<!-- end -->)`, 'u'),
        (_all, begin: string, end: string) => `${begin}\n${rows}\n${end}`,
      ),
    page,
  );
}
