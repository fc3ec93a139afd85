/** Files that only matter when Lectern is published or run elsewhere: each is read as its reader would. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { manPage } from "../scripts/write-man.ts";
import { commandNames } from "../src/cli/commands.ts";

const root = resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      { readonly permissions?: Readonly<Record<string, string>>; readonly steps: readonly { readonly run?: string }[] }
    >
  >;
}

test("workflows run scripts that exist, with rights to write nothing but the identity of what is published", () => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  for (const name of ["ci", "release"]) {
    const { jobs, permissions } = parse(read(`.github/workflows/${name}.yml`)) as Workflow;
    assert.deepEqual(permissions, { contents: "read" });
    for (const { run = "" } of Object.values(jobs).flatMap(({ steps }) => steps)) {
      for (const [, script = ""] of run.matchAll(/npm (?:run )?(check|test\S*|build\S*)/g))
        assert.ok(scripts[script], script);
    }
  }
  const { publish } = (parse(read(".github/workflows/release.yml")) as Workflow).jobs;
  assert.deepEqual(publish?.permissions, { contents: "read", "id-token": "write" });
  assert.ok(publish?.steps.some(({ run }) => run?.startsWith("npm publish --provenance")));
});

test("the metadata of a release comes from the name of its repository", () => {
  const directory = mkdtempSync(join(tmpdir(), "lectern-release-"));
  try {
    copyFileSync(join(root, "package.json"), join(directory, "package.json"));
    const script = join(root, "scripts/write-release-metadata.ts");
    execFileSync(process.execPath, [script, "somebody/lectern", directory]);
    const written = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Record<string, unknown>;
    const server = JSON.parse(readFileSync(join(directory, "server.json"), "utf8")) as Record<string, unknown>;
    assert.deepEqual(written["repository"], { type: "git", url: "git+https://github.com/somebody/lectern.git" });
    assert.equal(written["mcpName"], server["name"]);
    assert.equal(written["version"], server["version"]);
    assert.ok(String(server["description"]).length <= 100);
    assert.equal(spawnSync(process.execPath, [script, "no repository", directory]).status, 1);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test("the image runs as a user without rights, with its data in a volume, an init and a health check", () => {
  const instructions = read("Dockerfile")
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line !== "");
  const valueOf = (name: string): string | undefined => instructions.findLast((line) => line.startsWith(`${name} `));
  assert.match(instructions[0] ?? "", /^FROM node:26-/);
  assert.equal(valueOf("USER"), "USER lectern");
  assert.equal(valueOf("VOLUME"), "VOLUME /data");
  assert.match(valueOf("ENTRYPOINT") ?? "", /"tini"/);
  assert.match(valueOf("HEALTHCHECK") ?? "", /healthz/);
  const words = new Set(instructions.map((line) => line.split(" ", 1)[0]));
  const known = ["FROM", "ARG", "RUN", "COPY", "USER", "WORKDIR", "ENV", "VOLUME", "HEALTHCHECK", "ENTRYPOINT", "CMD"];
  assert.deepEqual(words, new Set(known));
  const { services, volumes } = parse(read("compose.yaml")) as Record<
    string,
    Record<string, { volumes: string[] } | null>
  >;
  assert.ok(services?.["lectern"]?.volumes.includes("data:/data"));
  assert.ok(volumes !== undefined && "data" in volumes);
});

test("the man page has each command, and mandoc finds nothing wrong with it", async (context) => {
  const page = await manPage();
  assert.match(page, /\n\.nf\nls {2,}which there are\nchanges/);
  for (const name of commandNames) assert.match(page, new RegExp(`^\\.SS lectern ${name}\\b`, "m"));
  const { error, status, stdout } = spawnSync("mandoc", ["-Tlint", "-Wwarning"], { input: page, encoding: "utf8" });
  if (error !== undefined) return context.skip("mandoc is not installed");
  assert.equal(status, 0, stdout);
});
