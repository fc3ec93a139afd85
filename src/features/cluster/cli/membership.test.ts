import assert from "node:assert/strict";
import { test } from "node:test";
import type { CliContext } from "../../../cli/context.ts";
import { status } from "./membership.ts";

const replica = (name: string, state: string): object => ({
  name,
  state,
  reason: state === "degraded" ? "the servers are full" : null,
  lagBytes: 0,
});
const replicas = { reason: null, bytes: 1_048_576, waiting: 0, removing: 0, sessions: [] as object[] };
const joined = { joined: true, name: "box", role: "member", state: "connected", reason: null, machines: [] };

async function printed(found: object): Promise<string[]> {
  const lines: string[] = [];
  const context = {
    call: () => Promise.resolve(found),
    print: (line: string) => Promise.resolve(void lines.push(line)),
    note: (line: string) => void lines.push(line),
  };
  await status(false, context as unknown as CliContext);
  return lines;
}

test("lectern cluster status counts the sessions that are in the cluster to their end, and names the others", async () => {
  assert.match((await printed({ joined: false })).join("\n"), /has joined no cluster/);
  const of = async (more: Partial<typeof replicas> | null): Promise<string[]> =>
    (await printed({ ...joined, replicas: more && { ...replicas, ...more } })).slice(1);
  assert.deepEqual(await of(null), []);
  assert.deepEqual(await of({ sessions: [replica("a", "following")] }), [
    "replicas: following 1 session; 1.0 MB in the cluster",
  ]);
  const [first, second, ...none] = await of({
    sessions: [replica("a", "following"), replica("b", "degraded"), replica("c", "following")],
    waiting: 2,
    removing: 3,
  });
  assert.equal(
    first,
    "replicas: following 2 sessions, 2 ended ones to be completed, 3 removed ones to be deleted; 1.0 MB in the cluster",
  );
  assert.match(second ?? "", /^ {2}b: .*the servers are full/);
  assert.deepEqual(none, []);
});
