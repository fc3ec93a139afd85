import { lateTimer } from "./late-timer.ts";

/**
 * What a promise says within `ms`; undefined where it says nothing so long. What it says later, also that it failed, is nobody's. What came while
 * this process stood still came in time.
 */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = lateTimer(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
