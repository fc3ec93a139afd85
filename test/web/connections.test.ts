/** The README's sentence: no connection beyond loopback unless configured. By what the kernel was asked, and by what the page requests. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CliHome } from "../e2e/cli-home.ts";
import { launcher } from "../support/launcher.ts";
import { until } from "../support/until.ts";
import { launchBrowser, untilShown } from "./web-home.ts";

/** Each asks for a connection, or sends to an address or listens at one. */
const CALLS = "trace=connect,bind,sendto,sendmsg,sendmmsg";
const ADDRESS = /sin6?_port=htons\((\d+)\).*?(?:inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)")/g;

test("a daemon, its host, a session and a visit of the page connect to nothing beyond this machine", async (context) => {
  await using home = new CliHome();
  const trace = join(home.directory, "trace");
  const words = [
    "-f",
    "-qq",
    "--seccomp-bpf",
    "-e",
    CALLS,
    "-o",
    trace,
    process.execPath,
    launcher,
    "up",
    "--port",
    "0",
  ];
  const daemon = spawn("strace", words, { cwd: home.directory, env: home.environment, stdio: "ignore" });
  const ended = once(daemon, "exit");
  await until(() => existsSync(home.paths.daemonSocket), "the daemon");
  await home.ok("run", "-d", "--name", "tour", "--", "bash", "--norc", "--noprofile");
  assert.equal(await home.ok("exec", "tour", "echo it-$((40+2))"), "it-42\n");
  const browser = await launchBrowser();
  context.after(() => browser.close());
  const page = await (await browser.newContext()).newPage();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("websocket", (socket) => requests.push(socket.url()));
  const link = (await home.ok("open", "--print")).trim();
  await page.goto(link);
  // The link ends at the list by a navigation of its own.
  await page.getByRole("link", { name: /tour/ }).first().waitFor();
  for (const path of ["/", "/s/tour/chat", "/search", "/usage", "/policy", "/audit", "/s/tour"])
    await page.goto(new URL(path, link).href);
  await untilShown(page, "it-42");
  await browser.close();
  await home.ok("down", "--programs");
  await ended;
  const { host } = new URL(link);
  const others = requests.filter((url) => /^(?:https?|wss?):/.test(url) && new URL(url).host !== host);
  assert.deepEqual([others, requests.length > 10], [[], true]);
  const places = [...readFileSync(trace, "utf8").matchAll(ADDRESS)].map(
    ([, port, four, six]) => `${four ?? six} ${port}`,
  );
  assert.ok(places.includes("127.0.0.1 0"), "the listener of the page is traced");
  // A resolver may be on this machine, too, and asks others.
  assert.deepEqual(
    places.filter((place) => !/^(?:127\.0\.0\.1|::1) /.test(place) || place.endsWith(" 53")),
    [],
  );
});
