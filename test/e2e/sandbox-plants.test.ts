/**
 * What an agent inside a sandbox plants is not executed by the next command of a person. `npm test` has a plant of each kind, `npm run test:long`
 * (`LECTERN_SANDBOX_PLANTS=tried`) all, and tries each without a sandbox first, so that it is a real one.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { quote } from "../support/launcher.ts";
import { sandboxPlants } from "../support/sandbox-plants.ts";
import { until } from "../support/until.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();
const isInstalled = (program: string): boolean =>
  (process.env["PATH"] ?? "").split(delimiter).some((directory) => existsSync(join(directory, program)));
const isTried = process.env["LECTERN_SANDBOX_PLANTS"] === "tried";
/** One for each way in which a sandbox keeps a plant from being executed. */
const kinds: readonly string[] = [
  "a repository at a gitlink: git status",
  "a repository below by a link .git",
  "a bare repository below",
  "a hook",
  "settings of git",
  "a hook in a core.hooksPath that is missing",
  "an included file that is missing",
  "a clean filter",
  "a script of a hook by a rename of its directory",
  "settings of another worktree",
  "the shell of npm's scripts",
  "a file before the Makefile",
  "commands of gdb",
];
const plants = Object.entries(sandboxPlants).filter(
  ([name, { needs }]) => (isTried || kinds.includes(name)) && (needs === undefined || isInstalled(needs)),
);
/** How many files of these names are set aside; the others cannot be made. */
const setAsideOf = { ".npmrc": [1, 2], GNUmakefile: [1, 1], "binding.gyp": [0, 1], lib: [2, 11], bare: [1, 1] };
/** A sandbox has at most 2,000 mounts. */
const PROJECTS_EACH = 14;

/** Projects, one for each plant, and a home without settings of whoever runs the test. */
class Field implements Disposable {
  readonly place = realpathSync(mkdtempSync(join(tmpdir(), "lectern-plants-")));

  constructor() {
    for (const name of ["ran", "home", "tools", "projects"]) mkdirSync(join(this.place, name));
    writeFileSync(join(this.place, "home/.gitconfig"), "[user]\n\tname = n\n\temail = n@example.org\n");
    // A shell for npm too, which gives it a command.
    const program = '#!/bin/sh\n: > "$RAN/$PLANT.$$"\n[ "$1" = -c ] && exec /bin/sh "$@"\n';
    writeFileSync(join(this.place, "tools/evil"), program, { mode: 0o755 });
  }

  get variables(): Readonly<Record<string, string>> {
    const { CARGO_HOME, RUSTUP_HOME } = process.env;
    const { homedir: own } = userInfo();
    return {
      HOME: join(this.place, "home"),
      RAN: join(this.place, "ran"),
      EVIL: join(this.place, "tools/evil"),
      CARGO_HOME: CARGO_HOME ?? join(own, ".cargo"),
      RUSTUP_HOME: RUSTUP_HOME ?? join(own, ".rustup"),
      GIT_CONFIG_NOSYSTEM: "1",
      TERM: "dumb",
    };
  }

  project = (at: number): string => join(this.place, "projects", String(at));

  /** A script that runs a piece of each plant in its project. */
  script(pieceOf: (plant: (typeof plants)[number][1]) => string | undefined, from = 0, to = plants.length): string {
    return plants
      .map(([, plant], at) => [pieceOf(plant), at] as const)
      .slice(from, to)
      .map(([piece, at]) =>
        piece === undefined
          ? ""
          : `(cd ${quote(this.project(at))} && export PLANT=${at} && timeout -k 1 30 bash -c ${quote(piece)})\n`,
      )
      .join("");
  }

  async run(script: string): Promise<void> {
    const file = join(this.place, "script.sh");
    writeFileSync(file, script);
    const child = spawn("bash", [file], {
      cwd: this.place,
      env: { ...process.env, ...this.variables },
      stdio: "ignore",
    });
    await new Promise((done) => child.once("exit", done));
  }

  async prepare(): Promise<void> {
    for (const at of plants.keys()) mkdirSync(this.project(at));
    await this.run(this.script(() => "git init -q . && echo a > a.x && git add a.x && git commit -qm first"));
    await this.run(this.script(({ before }) => before));
  }

  /** Names of the plants that were executed since the last call. */
  executed(): readonly string[] {
    const ran = join(this.place, "ran");
    const numbers = new Set(readdirSync(ran).map((name) => Number.parseInt(name, 10)));
    rmSync(ran, { recursive: true });
    mkdirSync(ran);
    return plants.flatMap(([name], at) => (numbers.has(at) ? [name] : []));
  }

  [Symbol.dispose](): void {
    rmSync(this.place, { recursive: true, force: true });
  }
}

async function tryWithoutSandbox(): Promise<void> {
  using field = new Field();
  await field.prepare();
  await field.run(field.script(({ inside }) => inside));
  field.executed();
  await field.run(field.script(({ after }) => after));
  const executed = field.executed();
  assert.deepEqual(
    plants.map(([name]) => name).filter((name) => !executed.includes(name)),
    [],
  );
}

if (isTried) test("without a sandbox each plant is executed by the next command of a person", tryWithoutSandbox);

test(`nothing of ${plants.length} plants is executed after a session in a sandbox`, async () => {
  assert.ok(plants.length >= (isTried ? 30 : kinds.length));
  using field = new Field();
  await field.prepare();
  const home = await shared.empty();
  const setAside: string[] = [];
  for (let from = 0; from < plants.length; from += PROJECTS_EACH) {
    const to = Math.min(from + PROJECTS_EACH, plants.length);
    const settings = join(field.place, `sandbox-${from}.yaml`);
    const directories = Array.from({ length: to - from }, (_, at) => field.project(from + at));
    writeFileSync(settings, `write: ${JSON.stringify(directories)}\nreadOnly: [${field.place}/]\n`);
    const script = join(field.place, `inside-${from}.sh`);
    writeFileSync(
      script,
      field.script(({ inside }) => inside, from, to),
    );
    const name = `plants-${from}`;
    const words = ["run", "-d", "-n", name, `--sandbox=${settings}`, "-C", field.project(from), "--", "bash", script];
    const started = await home.run(words, { env: field.variables });
    assert.equal(started.code, 0, started.stderr);
    await home.client.call("sessions.wait", { session: name, for: { type: "exit" }, timeoutMs: 150_000 });
    await until(async () => {
      const { sandbox } = await home.client.call("sessions.get", { session: name });
      setAside.push(...(sandbox?.setAside ?? []));
      return sandbox?.setAside !== null;
    }, "the directories are searched");
  }
  assert.deepEqual(field.executed(), [], "inside, its directory cannot be written");
  for (const [name, counts] of Object.entries(setAsideOf))
    assert.equal(setAside.filter((path) => path.endsWith(`/${name}`)).length, counts[isTried ? 1 : 0], name);
  await field.run(field.script(({ after }) => after));
  assert.deepEqual(field.executed(), []);
});
