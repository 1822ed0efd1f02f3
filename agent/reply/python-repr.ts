import type { Json } from '../vocabulary.ts';

/**
 * Python's `repr` of a JSON text, as LangChain writes tool arguments into logs. Reads the text and not the value, because
 * only the text tells 1 from 1.0, keeps long integers whole and the keys in order. The text has to be valid JSON.
 */
export function pyRepr(json: string): string {
  return json.replace(TOKEN, (token) => tokenRepr(token));
}

/** A string, a name, a number, or what stands between; a text of JSON holds nothing else. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[a-z]+|-?\d[\d.eE+-]*|[\s\S]/gu;

function tokenRepr(token: string): string {
  switch (token) {
    case 'true':
      return 'True';
    case 'false':
      return 'False';
    case 'null':
      return 'None';
    case ',':
      return ', ';
    case ':':
      return ': ';
    case '-0':
      return '0';
  }
  if (token.startsWith('"')) return pyString(JSON.parse(token) as string); // a string token is a string
  if (/^\s$/u.test(token)) return '';
  return /^-?\d+[.eE]/u.test(token) ? pyFloat(Number(token)) : token;
}

/** Python takes double quotes only where that saves it from escaping. */
function pyString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\\'"]|(?! )[\p{C}\p{Z}]/gu, (char) =>
    char === "'" || char === '"' ? (char === quote ? `\\${char}` : char) : (NAMED[char] ?? codeEscape(char)),
  );
  return quote + escaped + quote;
}

const NAMED: { [char: string]: string } = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function codeEscape(char: string): string {
  const hex = (char.codePointAt(0) ?? 0).toString(16);
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** The same shortest digits as JavaScript's; the exponent begins at 1e16 and below 1e-4, with two digits at least. */
function pyFloat(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (value === 0 || (power >= -4 && power < 16)) {
    const plain = power < 0 ? value.toFixed(digits.replace(/\D/gu, '').length - power - 1) : String(value);
    return plain.includes('.') ? plain : `${plain}.0`;
  }
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** JSON text as Python's `json.dumps` writes it, with blanks behind commas and colons. */
export function pyJson(value: Json): string {
  return JSON.stringify(value, null, 1)
    .replace(/,\n\s*/gu, ', ')
    .replace(/\n\s*/gu, '');
}
