import { describe, expect, test } from 'vitest';
import { fencedText } from '../../../../agent/prompt/text-file.ts';
import { readInput } from '../../../../client/start/read-input.ts';
import { pngOf } from '../../../support/image.ts';

const text = { type: 'text', text: 'What does it say?' };
const pdf = Buffer.from('%PDF-1.7 …');
const file = (given: unknown, fields = {}) => [text, { type: 'file', file: given, ...fields }];

describe('a question with a file', () => {
  test('has its type, its name and its place; the bytes are beside it', () => {
    const { input, media } = readInput([
      ...file(pdf, { filename: '/home/me/report.pdf' }),
      ...file('data:text/csv;base64,YSxi', { filename: 'a.csv' }),
      ...file(pngOf(100), { filename: 'a.png' }),
    ]);
    const place = (bytes: number, index: number) => ({
      bytes,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/u),
      ref: { index },
    });
    expect(input).toEqual([
      text,
      { type: 'file', mediaType: 'application/pdf', filename: 'report.pdf', ...place(12, 0) },
      text,
      { type: 'file', mediaType: 'text/csv', filename: 'a.csv', ...place(3, 1) },
      text,
      { type: 'image', mediaType: 'image/png', ...place(100, 2) },
    ]);
    expect(media.map((bytes) => bytes.length)).toEqual([12, 3, 100]);
  });

  test.each([
    ['audio/wav', Buffer.from('RIFF\x01\x02\x03\x04WAVEfmt ', 'latin1'), { mediaType: 'audio/x-wav' }],
    ['audio/mpeg', Buffer.from('\xff\xfb\x90\x00', 'latin1'), {}],
    ['audio/mpeg', Buffer.from('ID3\x04'), { mediaType: 'audio/mp3' }],
    ['application/pdf', pdf, { mediaType: 'application/octet-stream' }],
    ['text/plain', Buffer.from('grüße'), {}],
    ['text/markdown', Buffer.from('# a'), { filename: 'a.MD' }],
    ['application/json', Buffer.from('{}'), { mediaType: 'application/json; charset=utf-8' }],
    ['text/plain', Buffer.from('ID3 is a way to grow a tree.'), {}],
    ['text/plain', Buffer.from('let a = 1;'), { mediaType: 'video/mp2t', filename: 'main.ts' }],
    ['text/csv', Buffer.from('a,b'), { mediaType: 'application/vnd.ms-excel', filename: 'a.csv' }],
  ])('is known as %s', (mediaType, bytes, fields) => {
    expect(readInput(file(bytes, fields)).input[1]).toMatchObject({ type: 'file', mediaType });
  });

  test.each([
    ['a file and no word', [{ type: 'file', file: pdf }], 'There is no question beside the file'],
    ['a URL', file('https://example.com/a.pdf'), 'is not fetched. Fetch it yourself and give its bytes'],
    ['a path', file('report.pdf'), "is not a file in base64. A file's bytes are read with readFile()"],
    [
      'a spreadsheet',
      file(Buffer.from('PK\x03\x04\0\0'), { filename: 'a.xlsx' }),
      'a.xlsx (6 bytes) is none of the files',
    ],
    ['a text that is not UTF-8', file(Buffer.from('gr\xfc\xdfe', 'latin1')), 'texts in UTF-8. Convert it'],
    [
      'a text that is called PDF',
      file(Buffer.from('a'), { mediaType: 'application/pdf' }),
      'called application/pdf, but its bytes are a text',
    ],
    ['a PDF that is called WAV', file(pdf, { mediaType: 'audio/wav' }), 'but its bytes are application/pdf'],
    ['a name that is none', file(pdf, { filename: 5 }), 'filename is a text such as report.pdf'],
    ['an empty file', file(Buffer.alloc(0), { filename: 'a.pdf' }), 'a.pdf is empty'],
    ['too large a file', file(Buffer.alloc(1_500_001, 'a')), 'takes 1.6 MB; at most 1.5 MB'],
  ])('is refused with what to do: %s', (_, input, message) => {
    expect(() => readInput(input)).toThrow(message);
  });
});

test('a text file is shown in a fence that the text does not end', () => {
  expect(fencedText('a\n```\nb\n', { filename: 'a.md', mediaType: 'text/markdown' })).toBe(
    'File a.md:\n````\na\n```\nb\n````',
  );
});
