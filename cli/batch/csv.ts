/** A line of a CSV file, as the text of its cells. `line`: its number in the file, from 1. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** Reads a CSV file (RFC 4180): quotes, doubled quotes, line breaks in quotes, and a byte order mark. Throws Error with a line's number. */
export function parseCsv(text: string, separator: string): CsvRow[] {
  const rows: CsvRow[] = [];
  const cell = cellPattern(separator);
  cell.lastIndex = text.startsWith('\u{feff}') ? 1 : 0;
  let line = 1;
  let row: CsvRow = { line, cells: [] };
  while (cell.lastIndex < text.length || row.cells.length > 0) {
    const [whole, quoted, bare = '', end] = cell.exec(text) ?? [];
    if (whole === undefined || end === undefined)
      throw new Error(`line ${line}: a quote does not end, or text follows a quoted cell.`);
    row.cells.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    line += whole.split('\n').length - 1;
    if (end === separator) continue;
    // An empty line is left out.
    if (row.cells.length > 1 || row.cells[0] !== '') rows.push(row);
    row = { line, cells: [] };
  }
  return rows;
}

/** Matches one cell, and the separator, line break or end of the text behind it. */
function cellPattern(separator: string): RegExp {
  const mark = separator === '\t' ? '\\t' : separator;
  return new RegExp(
    `(?:"((?:[^"]|"")*)"|([^"${mark}\\r\\n][^${mark}\\r\\n]*)?)(${mark}|\\r?\\n|\\r|$)`,
    'uy',
  );
}

/** The separator of a file whose first line is its header: the most frequent of comma, semicolon and tab. */
export function separatorOf(text: string): string {
  const [header = ''] = text.split(/\r?\n/u, 1);
  const amounts = [',', ';', '\t'].map((mark) => ({ mark, amount: header.split(mark).length }));
  return amounts.toSorted((a, b) => b.amount - a.amount)[0]?.mark ?? ',';
}

/** One line of a CSV file. */
export function csvLine(cells: readonly string[], separator = ','): string {
  const needsQuotes = (text: string) => text.includes(separator) || /["\r\n]/u.test(text);
  return `${cells.map((text) => (needsQuotes(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(separator)}\n`;
}
