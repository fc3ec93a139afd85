/**
 * Loaded into a daemon (`node --import`): the longest turn of its main loop since its parent asked last. Processor time, because a busy
 * machine makes the time of the clock a measure of its neighbours. One turn is at least as long as its longest callback.
 */
const EVERY_MS = 1;

let longestMs = 0;
let usage = process.threadCpuUsage();

const take = (): void => {
  const { user, system } = process.threadCpuUsage(usage);
  usage = process.threadCpuUsage();
  longestMs = Math.max(longestMs, (user + system) / 1000);
};

setInterval(take, EVERY_MS).unref();
process.on("message", () => {
  process.send?.(longestMs);
  longestMs = 0;
});
process.channel?.unref();
