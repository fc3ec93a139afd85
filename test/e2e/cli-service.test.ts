/**
 * `lectern service`: what is written, what is reported, and what is not touched. `bench/service.ts` runs it with a real systemd, which a container
 * does not have.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { CliHome } from "./cli-home.ts";

const skip = process.platform === "linux" ? false : "The unit is one of systemd";

test(
  "a unit is written, found, reported by doctor when it is out of date, and removed; one of others stays",
  { skip },
  async () => {
    await using home = new CliHome((directory) => ({
      LECTERN_HOME: join(directory, "home"),
      XDG_CONFIG_HOME: join(directory, "config"),
      // No manager answers, whatever runs on this machine.
      DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent",
    }));
    const unit = join(home.directory, "config/systemd/user/lectern.service");
    const service = (...words: string[]) => home.run(["service", ...words]);
    assert.match((await service()).stdout, /Unit +not installed: run "lectern service install"/);
    assert.doesNotMatch((await home.run(["doctor"])).stdout, / service /);

    const installed = await service("install");
    assert.equal(installed.code, 1);
    assert.match(installed.stderr, /no service manager of this user answers here, so nothing was started/);
    const text = readFileSync(unit, "utf8");
    assert.match(text, /ExecStart=.*lectern\.mjs.* up/);
    assert.match(text, /KillMode=process/);
    const found = JSON.parse((await service("status", "--json")).stdout) as Readonly<Record<string, unknown>>;
    assert.deepEqual([found["installed"], found["current"], found["active"]], [true, true, null]);
    assert.match((await home.run(["doctor"])).stdout, /^ok +service +.*lectern\.service/m);

    writeFileSync(unit, text.replace("lectern.mjs", "before.mjs"));
    assert.match((await service("status")).stdout, /Paths +NOT those of this shell/);
    assert.match(
      (await home.run(["doctor"])).stdout,
      /^warn +service +.*has other paths.*\n.*lectern service install/m,
    );
    assert.match(
      await home.ok("service", "uninstall"),
      /^Removed .*lectern\.service; programs of sessions keep running/,
    );
    assert.ok(!existsSync(unit));

    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, "[Service]\nExecStart=/bin/true\n");
    assert.match((await service("install")).stderr, /Lectern has not written it; remove it first/);
    assert.match((await service("uninstall")).stderr, /Cannot remove/);
    assert.equal(readFileSync(unit, "utf8"), "[Service]\nExecStart=/bin/true\n");
  },
);

/** Runs the command of the unit, once. */
const systemctl = `#!/bin/bash
unit=$XDG_CONFIG_HOME/systemd/user/lectern.service
case "$2" in
  restart)
    eval "$(sed -n 's/^ExecStart=//p' "$unit") </dev/null &>/dev/null &"
    echo $! > "$unit.pid" ;;
  show)
    pid=$(cat "$unit.pid" 2>/dev/null || echo 0)
    if [ "$pid" = 0 ]; then echo ActiveState=inactive; pid=0
    elif kill -0 "$pid" 2>/dev/null; then echo ActiveState=active
    else echo ActiveState=failed; pid=0; fi
    echo "MainPID=$pid"; echo UnitFileState=enabled ;;
esac
`;

test(
  "the service takes over from a daemon that a person has started, and a start that fails is reported",
  { skip },
  async () => {
    await using home = new CliHome((directory) => ({
      LECTERN_HOME: join(directory, "home"),
      XDG_CONFIG_HOME: join(directory, "config"),
    }));
    const { configFile } = home.paths;
    mkdirSync(join(home.directory, "bin"));
    mkdirSync(dirname(configFile), { mode: 0o700 });
    writeFileSync(join(home.directory, "bin/systemctl"), systemctl, { mode: 0o755 });
    writeFileSync(configFile, "listen: {port: 0}\n");
    const { pid: before } = JSON.parse(await home.ok("up", "--detach", "--json")) as { readonly pid: number };
    await home.ok("run", "-d", "--name", "kept", "--", "cat");
    const installed = await home.run(["service", "install"]);
    assert.equal(installed.code, 0, installed.stderr);
    assert.match(
      installed.stderr,
      new RegExp(`^Stopped the daemon of process ${before}, .* programs keep running$`, "m"),
    );
    const running = /Running +yes, process (\d+)/.exec(installed.stdout)?.[1];
    assert.equal(String((await home.info())?.pid), running);
    assert.notEqual(running, String(before));
    assert.match(await home.ok("ls"), /^kept +running/m);

    await home.ok("down");
    await using taken = createServer();
    await once(taken.listen(0, "127.0.0.1"), "listening");
    writeFileSync(configFile, `listen: {port: ${(taken.address() as AddressInfo).port}}\n`);
    const failed = await home.run(["service", "install"]);
    assert.match(
      `${failed.code} ${failed.stdout}`,
      /^1 [^]*Running +no, it has failed: see "journalctl --user -u lectern"/,
    );
  },
);
