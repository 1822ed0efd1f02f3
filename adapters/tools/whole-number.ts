interface Range {
  /** Unit of the number: `bytes`. */
  unit: string;
  min: number;
  max?: number;
}

/** Throws for an option of a tool that is not a whole number within the range. `option` names it: `http: maxBytes`. */
export function checkWhole(
  option: string,
  value: unknown,
  { unit, min, max = Number.MAX_SAFE_INTEGER }: Range,
): void {
  if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return;
  const most = max === Number.MAX_SAFE_INTEGER ? 'or more' : `to ${max}`;
  throw new Error(`${option} is ${String(value)}; give a whole number of ${unit}, ${min} ${most}.`);
}
