import assert from "node:assert/strict";
import { test } from "node:test";
import { builtInProfiles } from "./profile.ts";
import { profileOf, sandboxProblems } from "./sandbox-schema.ts";

const messages = (data: Parameters<typeof sandboxProblems>[0]): readonly string[] =>
  sandboxProblems(data).map(({ path, message }) => `${path.join(".")}: ${message}`);

test("entries are added to the base profile, and a network replaces its own", () => {
  const profile = profileOf({
    profile: "offline",
    write: ["../library"],
    hide: [".env"],
    network: ["registry.npmjs.org"],
  });
  assert.equal(profile.name, "offline");
  assert.deepEqual(profile.write, [".", "$TMP", "../library"]);
  assert.deepEqual(profile.hide, [...builtInProfiles.offline.hide, ".env"]);
  assert.deepEqual(profile.network, ["registry.npmjs.org"]);
});

test("a profile can forbid to read the record of the agent", () => {
  assert.equal(profileOf({ transcripts: false }).transcripts, false);
  assert.ok(!("transcripts" in profileOf({ transcripts: true })));
});

test("a name in place of the one in the data is the base", () => {
  assert.equal(profileOf({ profile: "work" }, "look").name, "look");
  assert.equal(profileOf({}).name, "work");
});

test("paths and hosts that mean nothing are reported at their place", () => {
  assert.deepEqual(messages({ write: [".", "$HOME/x"], hide: ["**/.env"], readOnly: ["~other/x"] }), [
    'write.1: "$HOME/x" has a variable: only $TMP at the beginning is known; write the path out',
    'hide.0: "**/.env" has wildcards: name the file or directory itself',
    'readOnly.0: "~other/x" is in the home of another user: write the path out',
  ]);
  assert.match(
    messages({ network: ["https://example.org"] })[0] ?? "",
    /^network\.0: Cannot use the host .*: wanted a host such as/,
  );
  assert.match(messages({ network: ["example.org:99999"] })[0] ?? "", /Cannot use the host/);
  assert.match(
    messages({ network: "all" as "none" })[0] ?? "",
    /is not a network: write none, gateway, ask, or a list/,
  );
  assert.deepEqual(messages({ network: ["*.github.com", "localhost:8080", "10.0.0.1", "[::1]:80", "ask"] }), []);
});
