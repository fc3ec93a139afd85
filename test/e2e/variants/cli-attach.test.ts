/** Terminals on a session, once more: who decides its size. */
import { test } from "node:test";
import { SharedHome } from "../cli-home.ts";
import { untilSize } from "../../support/terminal-size.ts";

const shared = new SharedHome();

const DETACH = "\u001c";

test("a size that was given to the session is the one to which it returns", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  const viewer = home.onTerminal(["attach", "a"], { columns: 101, rows: 31 });
  await untilSize(home.client, "a", "31 101");
  await home.ok("resize", "a", "70x20");
  await untilSize(home.client, "a", "20 70");
  viewer.pty.write(Buffer.from("x"));
  await untilSize(home.client, "a", "31 101");
  viewer.pty.write(Buffer.from(DETACH));
  await viewer.ended;
  await untilSize(home.client, "a", "20 70");
});

test("a viewer that leaves while no daemon runs gives the size back to the next one", async () => {
  const home = await shared.empty();
  await home.ok("run", "-d", "--name", "a", "--", "cat");
  const stays = home.onTerminal(["attach", "a"], { columns: 101, rows: 31 });
  await untilSize(home.client, "a", "31 101");
  await home.crashDaemon();
  await stays.until("reconnected");
  stays.pty.write(Buffer.from("still here\r"));
  await stays.until("still here");
  await untilSize(home.client, "a", "31 101");
  await home.crashDaemon();
  await stays.pty.kill();
  await home.ok("ls");
  await untilSize(home.client, "a", "40 120");
});
