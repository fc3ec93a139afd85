import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { closeLastUp, readLastUp, writeLastUp } from "./last-up.ts";

const listening = {
  tcp: true,
  host: undefined,
  port: 8080,
  names: ["box.example"],
  tls: false,
  certificate: undefined,
  key: undefined,
  insecureHttp: false,
};

const inFile = (check: (paths: { readonly upFile: string }) => void): void => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-up-"));
  try {
    check({ upFile: join(directory, "up.json") });
  } finally {
    rmSync(directory, { recursive: true });
  }
};

test("what was written is read; a file that is none of ours is not", () => {
  inFile((paths) => {
    assert.equal(readLastUp(paths), undefined);
    writeLastUp(paths, { listening, isNextPort: false, agentFolders: ["/a"] });
    const { host: _, certificate: __, key: ___, ...stored } = listening;
    assert.deepEqual(readLastUp(paths), { listening: stored, isNextPort: false, agentFolders: ["/a"] });
    for (const text of ["", "null", "{}", '{"listening":1,"agentFolders":[]}']) {
      writeFileSync(paths.upFile, text);
      assert.equal(readLastUp(paths), undefined, text);
    }
  });
});

test("after a stop, only a place on this machine or in the configuration is listened at again", () => {
  for (const [host, tcp] of [
    [undefined, true],
    ["127.0.0.1", true],
    ["::1", true],
    ["0.0.0.0", false],
    ["192.168.1.5", false],
  ] as const) {
    inFile((paths) => {
      writeLastUp(paths, { listening: { ...listening, host }, isNextPort: false, agentFolders: [] });
      closeLastUp(paths);
      assert.equal(readLastUp(paths)?.listening.tcp, tcp, String(host));
    });
  }
});
