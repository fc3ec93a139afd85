/** The number grammar of RFC 8259, for complete numbers and for prefixes of them. */

const whole = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const beginning = /^-?(?:(?:0|[1-9][0-9]*)(?:\.(?![0-9])|(?:\.[0-9]+)?(?:[eE][+-]?[0-9]*)?))?/;

/** True for each UTF-16 unit that a number may hold: digits, signs, point, e and E. */
export const isNumberUnit = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || unit === 45 || unit === 46 || unit === 43 || unit === 101 || unit === 69;

export const isNumber = (text: string): boolean => whole.test(text);

/** Length of the longest beginning of `text` that is a number or a prefix of one. */
export const numberBeginning = (text: string): number => beginning.exec(text)?.[0].length ?? 0;
