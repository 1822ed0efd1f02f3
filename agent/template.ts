/**
 * Fills `{name}` for the names given, in one pass: braces of any other kind, and braces in what is filled in, stay as
 * they are.
 */
export function fill(template: string, values: { [name: string]: string }): string {
  return template.replace(/\{(\w+)\}/gu, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}

/** The names that none of the texts has a place for. */
export function withoutPlace(names: readonly string[], texts: { [name: string]: string }): string[] {
  const all = Object.values(texts).join('\n');
  return names.filter((name) => !all.includes(`{${name}}`));
}
