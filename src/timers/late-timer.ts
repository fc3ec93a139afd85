/** Time-outs behind which nothing has come: what came while this process stood still came in time. */

/** Runs `run` after `ms`, once what has come by then is read. `clearTimeout` stops it until the time is over. */
export const lateTimer = (run: () => void, ms: number): NodeJS.Timeout => setTimeout(() => setImmediate(run), ms);
