/**
 * Fills `{name}` for the names given, in one pass: braces of any other kind, and braces in what is filled in, stay as
 * they are.
 */
export function fill(template: string, values: { [name: string]: string }): string {
  return template.replace(/\{(\w+)\}/gu, (whole, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? whole) : whole,
  );
}
