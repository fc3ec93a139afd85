import assert from "node:assert/strict";
import { test } from "node:test";
import { readAgentFiles } from "./agent-reader.ts";
import { builtInFiles } from "./built-in-agents.ts";
import { wrongPlaces } from "./sandbox-places.ts";

const messages = (sandbox: string): string[] =>
  readAgentFiles([{ path: "a.yaml", text: `name: codex\nlaunch:\n  sandbox:\n    ${sandbox}\n` }]).problems.map(
    ({ line, message, severity }) => `${severity} ${line}: ${message}`,
  );

test("the places of the built-in agents can be used", () => {
  const own = builtInFiles.filter(({ launch }) => launch?.sandbox !== undefined);
  assert.ok(own.length >= 4);
  for (const file of own) assert.deepEqual(wrongPlaces(file), [], file.name);
});

test("a place may be named by a variable, and hold the name of the project", () => {
  const places = ["~/.mine/", "~/.mine.json", "{MINE_HOME:~/.mine}/a/{project}/", "{MINE_HOME:~}/.mine/"];
  for (const place of places) assert.deepEqual(messages(`private: ["${place}"]`), [], place);
  assert.deepEqual(messages('write: ["{MINE_HOME:~/.mine}/{project}/"]'), []);
});

test("a place outside of the home directory, or of everybody in it, is refused with its line", () => {
  for (const place of [
    "/etc/",
    "~/",
    "~/Documents/",
    "mine/",
    "~/.mine/../",
    "~/./",
    "~/.",
    "~/.mine/{home}/",
    "{x:/etc}/",
  ]) {
    const [found = "", ...more] = messages(`private: ["${place}"]`);
    assert.equal(more.length, 0, place);
    assert.ok(
      found.startsWith(`error 4: Cannot use "${place}" under "launch.sandbox.private": wanted a place in the home`),
      found,
    );
  }
});

test("only directories are fresh or stay, and none in which the next start of something executes what is there", () => {
  assert.match(messages("fresh: [~/.mine]")[0] ?? "", /wanted a directory, with a slash at the end/);
  for (const place of ["~/.config/mine/", "~/.local/", "~/.oh-my-zsh/", "{XDG_CONFIG_HOME:~/.config}/mine/"])
    assert.match(messages(`write: ["${place}"]`)[0] ?? "", /is executed later; put it under "private" or "fresh"$/);
  assert.deepEqual(messages("fresh: [~/.config/mine/]"), []);
});

test("a key that is not known is named with the nearest one", () => {
  assert.deepEqual(messages("wirte: [~/.mine/]"), ['error 4: Unknown key "wirte": did you mean "write"?']);
});
