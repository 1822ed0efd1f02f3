/** Replaces `{name}` for the given names, in one pass: all other braces, and braces in the values, stay unchanged. */
export function fill(template: string, values: { [name: string]: string }): string {
  // Concatenates instead of replacing: values may have megabytes, which a replacement would copy.
  let text = '';
  let end = 0;
  for (const { index, 0: whole, 1: name = '' } of template.matchAll(/\{([\w.]+)\}/gu)) {
    text += template.slice(end, index) + (Object.hasOwn(values, name) ? (values[name] ?? whole) : whole);
    end = index + whole.length;
  }
  return text + template.slice(end);
}

/** The names that none of the texts has a place for. */
export function withoutPlace(names: readonly string[], texts: { [name: string]: string }): string[] {
  const all = Object.values(texts).join('\n');
  return names.filter((name) => !all.includes(`{${name}}`));
}
