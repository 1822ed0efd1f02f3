/**
 * What is made of an object that does not change is made once, and kept as long as the object is. It may be made of something
 * else `beside` it; where that is not the same as it was, it is made anew.
 */
export function madeOnce<K extends object, B, V>(
  make: (key: K, beside: B) => V,
  isSame: (was: B, is: B) => boolean = Object.is,
): (key: K, beside: B) => V {
  const kept = new WeakMap<K, { beside: B; made: V }>();
  return (key, beside) => {
    const known = kept.get(key);
    if (known !== undefined && isSame(known.beside, beside)) return known.made;
    const made = make(key, beside);
    kept.set(key, { beside, made });
    return made;
  };
}
