import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { lateTimer } from "./late-timer.ts";

test("what has come while the process stood still is read before its time is over", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as { port: number }).port, "127.0.0.1");
  const [peer] = (await once(server, "connection")) as [Socket];
  const order: string[] = [];
  socket.on("data", () => order.push("data"));
  const isOver = new Promise<void>((resolve) => {
    lateTimer(() => {
      order.push("late");
      resolve();
    }, 10);
  });
  const endMs = performance.now() + 20;
  // It is in the kernel before the time is over, and nothing runs here until it is.
  peer.write("x");
  while (performance.now() < endMs);
  await isOver;
  assert.deepEqual(order, ["data", "late"]);
  socket.destroy();
  server.close();
});
