/**
 * An object whose properties are made when they are first read, and then kept. `Object.values` makes all of them.
 *
 * @example
 * ```ts
 * const rules = lazily({ chat: () => compileChat(data) });
 * rules.chat === rules.chat; // true
 * ```
 */
export function lazily<Parts extends object>(makers: { readonly [Name in keyof Parts]: () => Parts[Name] }): Parts {
  const parts: Partial<Parts> = {};
  for (const name of Object.keys(makers) as (keyof Parts)[]) {
    Object.defineProperty(parts, name, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value = makers[name]();
        Object.defineProperty(parts, name, { enumerable: true, value });
        return value;
      },
    });
  }
  return parts as Parts;
}
