import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock, test } from "node:test";
import { until } from "../../test/support/until.ts";
import { HostClient } from "./host-client.ts";
import { PtyHost } from "./host.ts";

const times = { hostHelloMs: 60_000, hostAnswerMs: 60_000 };
const idleMs = 1000;

test("a host that waits for its end stays as soon as a daemon connects, and ends after the last one has left", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  let ends = 0;
  let closed = 0;
  const host = new PtyHost({ version: "test", idleMs, onIdle: () => void ends++ });
  try {
    const path = join(mkdtempSync(join(tmpdir(), "lct-host-")), "host-0123456789ab.sock");
    await host.listen(path);
    mock.timers.tick(idleMs - 1);
    const listener = { onTail: () => {}, onNotice: () => {}, onClose: () => closed++ };
    const daemon = await HostClient.connect(path, times, listener);
    mock.timers.tick(idleMs * 10);
    assert.deepEqual(await daemon.call("list", {}), { sessions: [] });
    assert.equal(ends, 0);

    mock.timers.reset();
    daemon.close();
    await until(() => closed === 1 && ends === 1);
  } finally {
    mock.timers.reset();
    await host.close();
  }
});

test("a session that has ended while its end was asked for is ended, and takes nothing else", async () => {
  const host = new PtyHost({ version: "test", idleMs, onIdle: () => {} });
  try {
    const path = join(mkdtempSync(join(tmpdir(), "lct-host-")), "host-0123456789ac.sock");
    await host.listen(path);
    const listener = { onTail: () => {}, onNotice: () => {}, onClose: () => {} };
    const daemon = await HostClient.connect(path, times, listener);
    assert.deepEqual(await daemon.call("kill", { handle: 1, graceMs: 0 }), {});
    await assert.rejects(daemon.call("signal", { handle: 1, signal: "SIGTERM" }), { code: "SESSION_ENDED" });
    daemon.close();
  } finally {
    await host.close();
  }
});
