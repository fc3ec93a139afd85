/** `lectern service` where no service manager answers: what is written, what is reported, and what is not touched. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
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
