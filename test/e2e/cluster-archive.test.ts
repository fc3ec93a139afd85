/** The history of a machine that is dead, read on another one: processes of their own, real servers, `kill -9`. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { ClusterHomes } from "../support/cluster-homes.ts";
import { until } from "../support/until.ts";

const cluster = await ClusterHomes.start({ box: "operator", laptop: "operator" });
after(async () => cluster[Symbol.asyncDispose]());
const box = cluster.home("box");
const laptop = cluster.home("laptop");

const untilSent = async (): Promise<void> =>
  await until(async () => {
    const { replicas } = await box.client.call("cluster.status", {});
    return (
      replicas?.reason === null &&
      replicas.sessions.every(({ lagBytes, state }) => state === "following" && lagBytes === 0)
    );
  }, "the replicas of the box are complete");

const daemonPid = (): number =>
  (JSON.parse(readFileSync(box.paths.daemonFile, "utf8")) as { readonly pid: number }).pid;

test("sessions of a dead machine are lost, and each reader works on them", async () => {
  await box.ok("run", "--name", "done", "--detach", "--", "bash", "-c", "echo finished; seq 20000; exit 3");
  await box.ok(
    "run",
    "--name",
    "work",
    "--detach",
    "--label",
    "project=web",
    "--",
    "bash",
    "-c",
    "seq 50000; echo the needle; exec cat",
  );
  await until(async () => (await box.run(["logs", "work"])).stdout.includes("the needle"));
  const exported = (await box.ok("export", "done", "--format", "raw")).stdout;
  await untilSent();
  await new Promise((resolve) => setTimeout(resolve, 2000));
  process.kill(daemonPid(), "SIGKILL");
  await until(async () => {
    const { machines } = await laptop.client.call("cluster.status", {});
    return machines.some(({ name, state }) => name === "box" && state === "away");
  }, "the box is away");
  const list = await laptop.ok("ls", "--all");
  console.log(list.stdout);
  const logs = await laptop.run(["logs", "box/work"]);
  console.log(logs.code, logs.stdout.length, logs.stderr);
  assert.equal((await laptop.ok("export", "box/done", "--format", "raw")).stdout, exported);
});
