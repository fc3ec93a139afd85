/** Searches and tables that run in part in `npm test`, and in full in the stage `searches` of `npm run test:long`: the files that use this module. */

const isFull = process.env.LECTERN_SEARCHES === "all";

/** How often a property runs: a fifth of its full number in the suite. */
export const runsOf = (full: number): number => (isFull ? full : Math.ceil(full / 5));

/** Each nth case, from the first on; all of them in full. */
export const eachNth = <Case>(cases: readonly Case[], nth: number): readonly Case[] =>
  isFull ? cases : cases.filter((_, at) => at % nth === 0);
