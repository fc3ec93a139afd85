import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../../../test/support/until.ts";
import { StatusFile } from "./status-file.ts";

test("each change of the status is told once; torn writes and those of other processes are not", async () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-status-"));
  const path = join(directory, "7.json");
  const told: unknown[] = [];
  const write = (content: object, start = "5"): void => writeFileSync(path, JSON.stringify({ ...content, start }));
  write({ status: "idle" });
  using file = new StatusFile({
    path,
    root: directory,
    isBoxed: false,
    userId: process.getuid?.() ?? 0,
    isOwn: ({ start }) => start === "5",
    append: async ({ payload }) => await Promise.resolve(told.push(payload)),
    onError: (error) => assert.fail(String(error)),
  });
  const tells = async (...expected: object[]): Promise<void> =>
    await until(
      () => {
        file.check();
        return Promise.resolve(JSON.stringify(told) === JSON.stringify(expected));
      },
      `it tells ${JSON.stringify(expected)}`,
    );
  const idle = { status: "idle" };
  await tells(idle);
  write({ status: "busy" }, "6");
  file.check();
  writeFileSync(path, '{"status":"waiting","waitingFor":"permission prompt","start":"5"}}');
  file.check();
  assert.equal(told.length, 1);
  const asks = { status: "waiting", waitingFor: "permission prompt" };
  write(asks);
  await tells(idle, asks);
  write({ ...asks, cwd: "/elsewhere" });
  write(idle);
  await tells(idle, asks, idle);
  rmSync(directory, { recursive: true });
  file.check();
});
