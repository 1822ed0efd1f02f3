import { describe, expect, test } from 'vitest';
import { readInput } from '../../client/read-input.ts';
import { pngOf } from '../support/image.ts';

const png = pngOf(1_000);
const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(10)]);
const text = { type: 'text', text: 'What is on it?' };
const image = (given: unknown, mediaType?: string) => [text, { type: 'image', image: given, mediaType }];

describe('a question', () => {
  test('that is a text stays as it is, and parts that are all texts are one', () => {
    expect(readInput(' what? ')).toEqual({ input: ' what? ', images: [] });
    expect(readInput([text, { type: 'text', text: 'Who?' }])).toEqual({
      input: 'What is on it?\nWho?',
      images: [],
    });
  });

  test.each([
    ['bytes', png],
    ['a plain Uint8Array', new Uint8Array(png)],
    ['an ArrayBuffer', new Uint8Array(png).buffer],
    ['a data: URL', `data:image/png;base64,${png.toString('base64')}`],
    ['base64', png.toString('base64')],
  ])(
    'takes an image that is %s: what it is and where stands in the question, its bytes beside it',
    (_, given) => {
      const { input, images } = readInput(image(given));
      const part = { type: 'image', mediaType: 'image/png', bytes: 1_000, ref: { index: 0 } };
      expect(input).toEqual([text, part]);
      expect(images.map((one) => Buffer.from(one).equals(png))).toEqual([true]);
    },
  );

  test.each([
    ['image/jpeg', '\xff\xd8\xff\xe0'],
    ['image/gif', 'GIF87a'],
    ['image/webp', 'RIFF\x01\x02\x03\x04WEBPVP8 '],
  ])('knows %s by its first bytes', (mediaType, head) => {
    const { input } = readInput(image(Buffer.from(head, 'latin1')));
    expect(input[1]).toMatchObject({ mediaType });
  });

  test('numbers its images, and leaves a URL for the provider to fetch', () => {
    const url = 'https://example.com/a cat.png';
    const parts = [...image(png), ...image(new URL(url)), ...image(gif, 'image/gif')];
    const { input, images } = readInput(parts);
    expect(input).toMatchObject([
      {},
      { ref: { index: 0 } },
      {},
      { url: 'https://example.com/a%20cat.png' },
      {},
      { ref: { index: 1 } },
    ]);
    expect(images).toHaveLength(2);
  });

  test.each([
    ['no question', ' ', 'There is no question.'],
    ['no parts', [], 'There is no question.'],
    ['nothing', undefined, 'There is no question.'],
    ['an image and no word', [{ type: 'image', image: png }], 'There is no question beside the image'],
    ['an empty text', [{ type: 'text', text: '\n' }], 'Part 1 of the question is an empty text'],
    ['a part that is none', [text, 'more'], 'Part 2 of the question is neither'],
    ['a file path', image('photo.png'), '"photo.png" is neither an https URL nor an image'],
    ['http', image('http://example.com/a.png'), 'is not https'],
    ['no URL', image('https://'), 'is no URL of at most 8000 characters'],
    ['a data: URL in plain text', image('data:image/svg+xml,<svg/>'), 'is not base64'],
    ['a PDF', image(Buffer.from('%PDF-1.7 ...')), '(12 bytes) is no PNG, JPEG, GIF or WebP'],
    ['an empty image', image(Buffer.alloc(0)), 'is empty'],
    ['a GIF that is called PNG', image(gif, 'image/png'), 'called image/png, but its bytes are image/gif'],
    ['a media type that is none', image(png, 'png'), 'the mediaType png is none of an image'],
    ['a number', image(5), 'image is an https URL, the bytes of an image'],
    ['too large an image', image(pngOf(1_500_001)), 'The image takes 1.6 MB; at most 1.5 MB'],
    ['images too large together', [...image(pngOf(9e5)), ...image(pngOf(9e5))], 'The 2 images take 1.8 MB'],
    ['too many parts', Array.from({ length: 51 }, () => text), 'has 51 parts; at most 50'],
  ])('is refused with what to do: %s', (_, input, message) => {
    expect(() => readInput(input)).toThrow(message);
  });
});
