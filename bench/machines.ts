/**
 * The same daemon over its unix socket and over a real sshd on loopback, in turn: requests, echoes, and a flood that is read without a loss.
 *
 *   node bench/machines.ts [samples=500] [megabytes=40]
 */
import { LecternClient } from "../src/client/client.ts";
import { SshLink } from "../src/machines/ssh-link.ts";
import { sshTransport } from "../src/machines/ssh-transport.ts";
import { SshServer } from "../test/support/ssh-server.ts";
import { compile } from "./support/compile.ts";
import { BenchDaemon } from "./support/daemon.ts";
import { attached, echoOf, floodOf, listOf, show } from "./support/machine-acts.ts";
import { interleaved, quantile } from "./support/statistics.ts";

const samples = Number(process.argv[2] ?? 500);
const megabytes = Number(process.argv[3] ?? 40);
const WARM_SAMPLES = 300;

await using daemon = await BenchDaemon.start();
await using server = await SshServer.start();
const [destination = "", ...words] = server.hostArguments(daemon.paths.dataDirectory);
const host = {
  name: "box",
  destination,
  sshOptions: words.slice(0, -2).filter((word) => word !== "-o"),
  program: words.at(-1) ?? null,
};
const link = new SshLink(host, daemon.paths.machinesDirectory);
const start = performance.now();
await link.connect();
console.log(`connect: ${(performance.now() - start).toFixed(0)} ms`);
const clients = { local: daemon.client, ssh: new LecternClient(sshTransport(link)) };

const echoes = { local: await echoOf(clients.local), ssh: await echoOf(clients.ssh) };
for (const echo of Object.values(echoes)) for (let warm = 0; warm < WARM_SAMPLES; warm++) await echo();
show("echo", await interleaved(samples, echoes));
show("list", await interleaved(samples, { local: listOf(clients.local), ssh: listOf(clients.ssh) }));

const flood = await daemon.client.call("sessions.create", { command: [compile("flood"), "text", String(megabytes)] });
await daemon.client.call("sessions.wait", { session: flood.id, for: { type: "exit" }, timeoutMs: 120_000 });
const speeds = await interleaved(5, {
  local: () => floodOf(clients.local, flood.id),
  ssh: () => floodOf(clients.ssh, flood.id),
});
for (const [name, values] of speeds) console.log(`flood  ${name.padEnd(6)} ${quantile(values, 0.5).toFixed(1)} MB/s`);
await attached.disposeAsync();
await link.disconnect();
