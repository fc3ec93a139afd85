/** Resolves with the result of a promise and the turns of the event loop until then, in which others are served. */
export async function turnsUntil<Result>(promise: Promise<Result>): Promise<readonly [Result, number]> {
  const over = new AbortController();
  let turns = 0;
  const count = (): void => {
    turns += 1;
    if (!over.signal.aborted) setImmediate(count);
  };
  setImmediate(count);
  const result = await promise.finally(() => over.abort());
  return [result, turns];
}
