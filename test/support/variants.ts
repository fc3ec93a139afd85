/**
 * Tables whose rows show one promise in several ways: another shell, agent, damage or signal. `npm test` takes the rows that are named, the stage
 * `variants` of `npm run test:long` all rows of the files that use this module.
 */

export const hasAllVariants = process.env["LECTERN_VARIANTS"] === "all";

/** The entries of a table with these names. */
export function someOf<Table extends Readonly<Record<string, unknown>>>(
  table: Table,
  ...names: readonly (keyof Table & string)[]
): readonly (readonly [name: keyof Table & string, row: Table[keyof Table]])[] {
  const unknown = names.filter((name) => !Object.hasOwn(table, name));
  if (unknown.length > 0) throw new Error(`The table has no row "${unknown.join('", "')}"`);
  const rows = Object.entries(table) as [keyof Table & string, Table[keyof Table]][];
  return rows.filter(([name]) => hasAllVariants || names.includes(name));
}

/** The first items of a list whose order does not matter. */
export const firstOf = <Item>(items: readonly Item[], count: number): readonly Item[] =>
  hasAllVariants ? items : items.slice(0, count);

/** How often what differs by its moment only is done. */
export const roundsOf = (count: number, all: number): number => (hasAllVariants ? all : count);
