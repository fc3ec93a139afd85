/** What the benches of other machines measure, over any client. */
import { setTimeout as sleep } from "node:timers/promises";
import type { LecternClient } from "../../src/client/client.ts";
import { quantile } from "./statistics.ts";

/** One sample, in microseconds. */
export type Act = () => Promise<number>;

/** What would keep trying to come back when the daemon has ended: to be disposed of before. */
export const attached = new AsyncDisposableStack();

/** A session of its own: two writers of one would wait for each other. */
export async function echoOf(client: LecternClient): Promise<Act> {
  const { id: session } = await client.call("sessions.create", { command: ["cat"] });
  const attachment = attached.use(await client.attach(session, {}));
  let heard = (): void => {};
  void (async () => {
    for await (const item of attachment) if (item.type === "output") heard();
  })();
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    heard = resolve;
    const start = performance.now();
    void attachment.write(Buffer.from("x"));
    await promise;
    const microseconds = (performance.now() - start) * 1000;
    await sleep(1);
    return microseconds;
  };
}

export const listOf =
  (client: LecternClient): Act =>
  async () => {
    const start = performance.now();
    await client.call("sessions.list", {});
    return (performance.now() - start) * 1000;
  };

/** Megabytes per second of a session's whole output, read from its journal. */
export async function floodOf(client: LecternClient, session: string): Promise<number> {
  const start = performance.now();
  let bytes = 0;
  await using attachment = await client.attach(session, { from: 0, readOnly: true, lossless: true });
  for await (const item of attachment) if (item.type === "output") bytes += item.bytes.length;
  return bytes / 1e6 / ((performance.now() - start) / 1000);
}

/** Prints p50 and p99, and what each way adds to "local". */
export function show(what: string, results: ReadonlyMap<string, number[]>): void {
  const local = results.get("local") ?? [];
  for (const [name, values] of results) {
    const [p50, p99] = [quantile(values, 0.5), quantile(values, 0.99)];
    const added = ((p50 - quantile(local, 0.5)) / 1000).toFixed(2);
    console.log(
      `${what.padEnd(6)} ${name.padEnd(6)} p50 ${(p50 / 1000).toFixed(2)} ms  p99 ${(p99 / 1000).toFixed(2)} ms  added p50 ${added} ms`,
    );
  }
}
