/** One agent file over another: what a user's own file changes of a built-in one. */

type Data = Readonly<Record<string, unknown>>;

/**
 * Maps are merged key by key, everything else is replaced as a whole, and null takes a key away. Rules that only `over` has come before
 * those of `base`, since the first rule that fits counts.
 * `merged({ screen: { box: { rows: 1 } } }, { screen: { box: { rows: 2 } } }); // { screen: { box: { rows: 2 } } }`
 */
export function merged(base: Data, over: Data): Data {
  const names = [...Object.keys(over).filter((name) => !Object.hasOwn(base, name)), ...Object.keys(base)];
  const pairs = names.map((name): readonly [string, unknown] => {
    if (!Object.hasOwn(over, name)) return [name, base[name]];
    const [below, above] = [base[name], over[name]];
    return [name, isMap(below) && isMap(above) ? merged(below, above) : above];
  });
  return Object.fromEntries(pairs.filter(([, value]) => value !== null));
}

const isMap = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);
