/** A picture of so many bytes, as far as anybody looks who does not draw it. `seed` tells two apart. */
export function pngOf(bytes: number, seed = 1): Buffer {
  const image = Buffer.alloc(bytes);
  let state = seed;
  // Bytes that nothing shortens.
  for (let at = 0; at < bytes; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    image[at] = state >>> 16;
  }
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').copy(image);
  return image;
}
