/** What tests started and must end. A test that times out never reaches its own cleanup, so `time-limit.ts` ends what is left here. */

const leftovers = new Set<AsyncDisposable>();

/** To be called when something is started that outlives its test unless it is disposed of. */
export const started = (resource: AsyncDisposable): void => void leftovers.add(resource);

/** To be called first when it is disposed of: false where that has begun already, and there is nothing to do. */
export const ended = (resource: AsyncDisposable): boolean => leftovers.delete(resource);

/** Disposes of everything that a test left behind; resolves with their number. Never rejects. */
export async function endLeftovers(): Promise<number> {
  const left = [...leftovers];
  await Promise.allSettled(left.map(async (resource) => resource[Symbol.asyncDispose]()));
  return left.length;
}
