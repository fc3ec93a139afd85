/** What is reported on this machine: hooks, and notices in attached terminals. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { operations } from "../../src/protocol/operations.ts";
import { TERMINAL_READER } from "../../src/protocol/attach-frames.ts";
import type { CallContext } from "../../src/daemon/service.ts";
import { reconfigure } from "../support/configured-daemon.ts";
import { SharedDaemon } from "../support/shared-daemon.ts";
import { until } from "../support/until.ts";
import { CliHome } from "./cli-home.ts";

const shared = new SharedDaemon();

const signal = new AbortController().signal;
const person: CallContext = { caller: { scope: "admin", session: null }, signal };

test("a hook runs at each change that it names, with the change on its standard input", async () => {
  const daemon = await shared.empty();
  const file = join(daemon.paths.dataDirectory, "changes");
  const command = ["sh", "-c", 'cat >> "$0"', file];
  await reconfigure(daemon, { hooks: [{ on: ["exit", "approval"], command, sessions: { name: "wanted" } }] });
  await daemon.call("notify.list", {});
  await daemon.run(["true"], { name: "other" });
  const asks = "read -rp 'Go on? [y/N] ' answer; exit 3";
  const { id } = await daemon.run(["bash", "--norc", "-c", asks], { name: "wanted" });
  interface Change {
    readonly type: string;
    readonly data: { readonly exit?: { readonly code: number }; readonly approval?: { readonly question: string } };
  }
  const read = (): Change[] => {
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    return text
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Change);
  };
  await until(() => read().length > 0);
  assert.deepEqual([read()[0]?.type, read()[0]?.data.approval?.question], ["session.approval", "Go on? [y/N]"]);
  await daemon.call("sessions.input", { session: id, text: "y\r" });
  await until(() => read().some(({ type }) => type === "session.exit"));
  const exits = read().filter(({ type }) => type === "session.exit");
  assert.deepEqual(
    exits.map(({ data }) => data.exit?.code),
    [3],
  );
});

test("a notice is shown in the terminals of people, and not in those of readers of one session or of another kind", async () => {
  const { DBUS_SESSION_BUS_ADDRESS: bus, XDG_RUNTIME_DIR: runtime } = process.env;
  delete process.env["DBUS_SESSION_BUS_ADDRESS"];
  delete process.env["XDG_RUNTIME_DIR"];
  try {
    const daemon = await shared.empty({ notify: { channels: { desk: { kind: "desktop" } } } });
    const { id } = await daemon.run(["cat"]);
    const shown: string[] = [];
    const attach = async (name: string | undefined, context: CallContext): Promise<Disposable> => {
      const input = operations["sessions.attach"].input.parse({ session: id, ...(name !== undefined && { name }) });
      const attachment = await daemon.running.service.handlers["sessions.attach"](input, context);
      attachment.watchNotices(({ title }) => shown.push(`${name ?? "nobody"}: ${title}`));
      return attachment;
    };
    assert.match(
      (await daemon.call("notify.test", { channel: "desk" })).detail,
      /no session bus and no attached terminal/,
    );
    using _terminal = await attach(TERMINAL_READER, person);
    using _page = await attach("a page", person);
    using _limited = await attach(TERMINAL_READER, { ...person, caller: { scope: "write", session: id } });
    assert.equal((await daemon.call("notify.test", { channel: "desk" })).sent, true);
    assert.deepEqual(shown, [`${TERMINAL_READER}: Lectern: test`]);
    // Nothing of it is in the session.
    assert.equal((await daemon.outputOf(id)).includes("Lectern"), false);
  } finally {
    if (bus !== undefined) process.env["DBUS_SESSION_BUS_ADDRESS"] = bus;
    if (runtime !== undefined) process.env["XDG_RUNTIME_DIR"] = runtime;
  }
});

test("a notice reaches the terminal of lectern attach as OSC 777 and OSC 9, on one line", async () => {
  await using home = new CliHome((directory) => ({
    LECTERN_HOME: join(directory, "home"),
    DBUS_SESSION_BUS_ADDRESS: "",
  }));
  const { configFile, dataDirectory } = home.paths;
  mkdirSync(dataDirectory, { mode: 0o700 });
  const rule = { on: ["blocked"], after: "0s", content: "question", presence: false, to: ["desk"] };
  writeFileSync(configFile, JSON.stringify({ notify: { channels: { desk: { kind: "desktop" } }, rules: [rule] } }));
  await home.ok("run", "-d", "--name", "shell", "--", "cat");
  const viewer = home.onTerminal(["attach", "shell"]);
  await until(async () => (await home.viewersOf("shell")) === 1);
  const asks = `read -rp $'Remove all; really\\u202e\\e]9;owned\\a? [y/N] ' answer; read -r`;
  await home.ok("run", "-d", "--name", "files", "--", "bash", "--norc", "-c", asks);
  await viewer.until("\u001b]9;");
  await until(() => viewer.text.endsWith("\u0007"));
  const written = viewer.text.slice(viewer.text.indexOf("\u001b]777;"));
  const text = "Remove all; really? [y/N]";
  assert.equal(written, `\u001b]777;notify;files needs you;${text}\u0007\u001b]9;files needs you: ${text}\u0007`);
});
