/** The text of an exported page, without its look. */
export function textOf(page: string): string {
  const marks = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  const text = page.slice(page.indexOf('<body>')).replace(/<[^>]*>/gu, ' ');
  return Object.entries(marks)
    .reduce((shown, [mark, char]) => shown.replaceAll(mark, char), text)
    .replace(/\s+/gu, ' ')
    .trim();
}
