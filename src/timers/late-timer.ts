/** Runs `run` after `ms`, once what has come by then is read: what came while this process stood still came in time. `clearTimeout` stops it. */
export const lateTimer = (run: () => void, ms: number): NodeJS.Timeout => setTimeout(() => setImmediate(run), ms);
