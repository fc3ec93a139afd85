import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { cleanEnvironment } from "./environment.ts";
import { platformOf } from "./platform.ts";

test("a Mac and the portable mode have the same, and Linux has more", () => {
  const mac = platformOf(undefined, "darwin");
  assert.deepEqual({ ...platformOf("portable", "linux"), withoutFfi: "", withoutSandbox: "" }, {
    name: "portable",
    unknown: undefined,
    hasProc: false,
    withoutFfi: "",
    withoutSandbox: "",
    socketPathBytesMax: 103,
  } satisfies typeof mac);
  assert.deepEqual(
    { ...mac, withoutFfi: "", withoutSandbox: "" },
    {
      ...platformOf("portable", "darwin"),
      withoutFfi: "",
      withoutSandbox: "",
    },
  );
  assert.match(mac.withoutFfi ?? "", /needs Linux, this is darwin/);
  assert.match(platformOf("portable", "linux").withoutFfi ?? "", /LECTERN_PLATFORM is "portable"/);
  assert.equal(platformOf("", "linux").hasProc, true);
});

test("a platform that is not known is named, and what the system has is used", () => {
  const { name, unknown } = platformOf("windows", "linux");
  assert.deepEqual({ name, unknown }, { name: "linux", unknown: "windows" });
});

test("in the portable mode nothing is read from /proc, no library is called, and a pty has the fallback", () => {
  const program = `
    import { describeBackends } from "./src/pty/spawn.ts";
    import { isRunning, readStat } from "./src/pty/proc-files.ts";
    const backends = describeBackends().filter(({ available }) => available).map(({ backend }) => backend);
    console.log(JSON.stringify([readStat(process.pid) ?? null, isRunning(process.pid), backends]));`;
  const words = ["--input-type=module", "-e", program];
  const environment = cleanEnvironment(process.env, { extra: { LECTERN_PLATFORM: "portable" } });
  const shown = execFileSync(process.execPath, words, { encoding: "utf8", env: environment });
  assert.deepEqual(JSON.parse(shown), [null, true, ["node-pty"]]);
});
