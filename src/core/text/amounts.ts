/** Counts and prices for people, short. */

/** `940`, `12.3k`, `4M`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count >= 999_500 ? [1e6, "M"] : [1e3, "k"];
  const value = count / size;
  return `${value >= 100 ? Math.round(value) : Number(value.toFixed(1))}${unit}`;
}

/** `$0.42`; of less than a cent one digit. */
export const dollars = (amount: number): string =>
  `$${amount >= 0.01 || amount === 0 ? amount.toFixed(2) : Number(amount.toPrecision(1))}`;
