import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { SandboxMount } from "../../core/sandbox/plan.ts";
import { builtInProfiles, type SandboxProfile } from "../../core/sandbox/profile.ts";
import { addAgentPlaces, type AgentPlaces } from "./agent-places.ts";
import { MountTable } from "./mount-table.ts";

let root = "";
let home = "";
let project = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "places-")));
  [home, project] = [join(root, "home"), join(root, "a project")];
  for (const directory of [home, project]) mkdirSync(directory);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const make = (...directories: string[]): void =>
  directories.forEach((directory) => mkdirSync(join(home, directory), { recursive: true }));

interface Result {
  /** `kind path`, relative to the home. */
  readonly mounts: readonly string[];
  readonly standIns: readonly string[];
}

interface Given {
  readonly profile?: Partial<SandboxProfile>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly mounts?: readonly SandboxMount[];
  readonly workingDirectory?: string;
}

function placesFor(
  places: AgentPlaces,
  { environment = {}, mounts = [], profile, workingDirectory = project }: Given = {},
): Result {
  const table = new MountTable();
  for (const { kind, path } of mounts) table.set(path, kind);
  addAgentPlaces(table, places, {
    profile: { ...builtInProfiles.work, hide: [], ...profile },
    pathOf: (entry) => resolve(workingDirectory, entry.replace(/^~/, home)),
    home,
    workingDirectory,
    environment,
  });
  const shown = (path: string): string => path.replace(`${home}/`, "").replace(`${root}/`, "/");
  const given = new Set(mounts.map(({ path }) => path));
  return {
    mounts: table.list.filter(({ path }) => !given.has(path)).map(({ kind, path }) => `${kind} ${shown(path)}`),
    standIns: table.standIns.map(({ path, text }) => `${shown(path)}${text === null ? "/" : `=${text}`}`),
  };
}

test("a place that is there is copied, its directories are read-only, and conversations stay", () => {
  make(".agent/hooks", ".agent/log", ".agent/sessions");
  writeFileSync(join(home, ".agent.json"), "{}");
  const places = {
    private: ["~/.agent/", "~/.agent.json"],
    fresh: ["~/.agent/log/", "~/.agent/tmp/"],
    write: ["~/.agent/sessions/"],
  };
  assert.deepEqual(placesFor(places), {
    mounts: [
      "private .agent",
      "private .agent.json",
      "read-only .agent/hooks",
      "memory .agent/log",
      "writable .agent/sessions",
    ],
    standIns: [],
  });
  const look = placesFor(places, { profile: { ...builtInProfiles.look, hide: [] } });
  assert.ok(look.mounts.includes("memory .agent/sessions"), "a profile that writes nothing keeps nothing");
});

test("what is missing is made for the session, with the directories above it, and only where it has to be", () => {
  const { mounts, standIns } = placesFor({
    private: ["~/.agent/", "~/.agent/inner/", "~/.agent.json", "~/.agent.toml"],
    fresh: ["~/.cache/agent/", "~/.agent/tmp/"],
    write: ["~/.agent/of/{project}/"],
  });
  const dashes = project.replaceAll(/[^A-Za-z0-9]/g, "-");
  assert.deepEqual(mounts, [
    "private .agent",
    "private .agent.json",
    "private .agent.toml",
    `writable .agent/of/${dashes}`,
    "memory .cache/agent",
  ]);
  assert.deepEqual(standIns.toSorted(), [
    ".agent.json={}\n",
    ".agent.toml=",
    ".agent/",
    ".agent/of/",
    `.agent/of/${dashes}/`,
    ".cache/",
    ".cache/agent/",
  ]);
});

test("a variable names another directory, if it is absolute", () => {
  mkdirSync(join(root, "other"));
  const places = { private: ["{AGENT_HOME:~/.agent}/"] };
  assert.deepEqual(placesFor(places, { environment: { AGENT_HOME: join(root, "other") } }).mounts, ["private /other"]);
  assert.deepEqual(placesFor(places, { environment: { AGENT_HOME: "other" } }).mounts, []);
  assert.deepEqual(placesFor(places, { environment: { AGENT_HOME: "" } }).mounts, ["private .agent"]);
  for (const directory of ["/", home, project, root])
    assert.deepEqual(placesFor(places, { environment: { AGENT_HOME: directory } }).mounts, [], directory);
});

test("what the profile hides or names itself stays so", () => {
  make(".agent/keys", ".agent/sessions", ".other");
  const hidden = { kind: "empty", path: join(home, ".agent/keys") } as const;
  const places = { private: ["~/.agent/", "~/.agent/keys/", "~/.other/"] };
  assert.deepEqual(placesFor(places, { mounts: [hidden] }).mounts, [
    "private .agent",
    "read-only .agent/sessions",
    "private .other",
  ]);
  const named = { write: [".", "~/.agent"], readOnly: ["~/.other"] };
  assert.deepEqual(placesFor(places, { profile: named }).mounts, []);
  const atHome = placesFor({ private: ["~/.other/"] }, { workingDirectory: home });
  assert.deepEqual(atHome.mounts, ["private .other"], "the home as the working directory says nothing about an agent");
});

test("a link is followed to a copy, and never to something that is changed", () => {
  mkdirSync(join(root, "elsewhere/inner"), { recursive: true });
  symlinkSync(join(root, "elsewhere"), join(home, ".agent"));
  assert.deepEqual(
    placesFor({ private: ["~/.agent/"], fresh: ["~/.agent/inner/"], write: ["~/.agent/inner/"] }).mounts,
    ["private /elsewhere", "read-only /elsewhere/inner"],
  );
  assert.deepEqual(placesFor({ write: ["~/.agent/missing/"] }), { mounts: [], standIns: [] });
});
