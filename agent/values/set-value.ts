/** The value of an environment variable, without blanks around it; undefined if it is empty or not set. */
export function setValue(variable: string | undefined): string | undefined {
  const value = variable?.trim();
  return value === '' ? undefined : value;
}
