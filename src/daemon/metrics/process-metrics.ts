/** What the process uses: CPU, memory, descriptors, and how late its event loop is. Measured when it is asked for, and at no other time. */
import { readdir, readFile } from "node:fs/promises";
import type { MetricSet } from "../../core/metrics/metric-set.ts";

/** Missing where the system has no `/proc`. */
let descriptorsMax: number | null | undefined;

export async function collectProcess(metrics: MetricSet): Promise<void> {
  const beganMs = performance.now();
  await new Promise((resolve) => setImmediate(resolve));
  metrics.set("nodejs_eventloop_lag_seconds", {}, (performance.now() - beganMs) / 1000);
  metrics.set("nodejs_eventloop_active_seconds_total", {}, performance.eventLoopUtilization().active / 1000);
  const { user, system } = process.cpuUsage();
  metrics.set("process_cpu_seconds_total", {}, (user + system) / 1e6);
  const { heapUsed, rss } = process.memoryUsage();
  metrics.set("process_resident_memory_bytes", {}, rss);
  metrics.set("nodejs_heap_size_used_bytes", {}, heapUsed);
  metrics.set("process_start_time_seconds", {}, performance.timeOrigin / 1000);
  const open = await readdir("/proc/self/fd").catch(() => null);
  if (open !== null) metrics.set("process_open_fds", {}, open.length);
  descriptorsMax ??= await limitOfDescriptors();
  if (descriptorsMax !== null) metrics.set("process_max_fds", {}, descriptorsMax);
}

async function limitOfDescriptors(): Promise<number | null> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const found = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return found === undefined ? null : Number(found);
}
