import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { parseHost, readHosts, writeHosts, type SshHost } from "./hosts-file.ts";

const directory = mkdtempSync(join(tmpdir(), "lectern-hosts-"));
const path = join(directory, "hosts.json");
after(() => rmSync(directory, { recursive: true }));

const box: SshHost = { name: "box", destination: "me@box", sshOptions: ["Port=2222"], program: null };

test("hosts are read as they were written, by their owner only, and nothing else is left in the directory", () => {
  assert.deepEqual(readHosts(path), []);
  writeHosts(path, [box, { ...box, name: "pi", program: "/opt/lectern" }]);
  assert.deepEqual(readHosts(path), [box, { ...box, name: "pi", program: "/opt/lectern" }]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(directory), ["hosts.json"]);
});

for (const [what, text] of Object.entries({
  "no JSON": "{",
  "another version": '{"version":2,"hosts":[]}',
  "a name twice": JSON.stringify({ version: 1, hosts: [box, box] }),
  "an option of ssh as the destination": JSON.stringify({
    version: 1,
    hosts: [{ ...box, destination: "-oProxyCommand=x" }],
  }),
})) {
  test(`a file with ${what} is refused with its path and the next step`, () => {
    writeFileSync(path, text);
    assert.throws(() => readHosts(path), {
      code: "INVALID_INPUT",
      message: /hosts\.json": .*; mend or remove that file$/,
    });
  });
}

test("a destination that ssh would read as an option, or that ends a line, is refused", () => {
  for (const destination of ["-p", "a b", "a\nb", ""])
    assert.throws(() => parseHost({ ...box, destination }), { code: "INVALID_INPUT", message: /destination/ });
  assert.deepEqual(parseHost(box), box);
});

test("a file that cannot be written is reported, and leaves nothing", () => {
  assert.throws(() => writeHosts(join(directory, "none", "hosts.json"), [box]), { code: "INVALID_INPUT" });
});
