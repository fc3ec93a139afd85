/** `lectern.yaml`: what counts, what a reload changes, and what a file with errors does not. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findProjectFile } from "../../src/cli/config-files.ts";
import { CliHome } from "./cli-home.ts";

interface Shown {
  readonly values: readonly { readonly key: string; readonly value: unknown; readonly from: string }[];
  readonly problems: readonly { readonly line: number }[];
}

test("a reload reports what has changed, and a file with errors changes nothing", async () => {
  await using home = new CliHome();
  const { configFile: file, dataDirectory } = home.paths;
  mkdirSync(dataDirectory, { mode: 0o700 });
  writeFileSync(file, "listen: {port: 0}\nagents:\n  folders: [mine]\nlog: {level: loud}\n");
  // The section with an error has its default, and the daemon says so.
  const ready = JSON.parse(await home.ok("up", "--detach", "--json")) as { listen: string[] };
  assert.equal(ready.listen.length, 2);
  assert.doesNotMatch(ready.listen.join(), /:7433/);
  assert.match(
    await home.ok("info"),
    /Problem +The configuration has errors: .*lectern\.yaml:4:14: "log\.level" is "loud"/,
  );
  assert.match(await home.ok("info"), /Problem .*mine/);

  writeFileSync(file, "listen: {port: 0}\n");
  assert.match(
    await home.ok("reload"),
    /changed agents\.folders\nIn force after a restart of the daemon: agents\.folders;/,
  );
  assert.doesNotMatch(await home.ok("info"), /The configuration has errors/);

  writeFileSync(file, "listen: {port: 0}\nlog: {level: debug}\n");
  assert.match(await home.ok("reload"), /changed log\.level\nIn force after/);
  const shown = JSON.parse(await home.ok("config", "--json")) as Shown;
  const level = shown.values.find(({ key }) => key === "log.level");
  assert.deepEqual(level, { key: "log.level", value: "debug", from: "user" });

  writeFileSync(file, "listen: {prt: 0}\nlog: {level: fatal}\n");
  const refused = await home.run(["reload"]);
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /lectern\.yaml:1:10: error: Unknown key "prt": did you mean "port"\?\nNothing was changed/,
  );
  assert.match(await home.ok("info"), /Problem +The configuration has errors: .*prt.*lectern reload/);
  assert.match((await home.run(["doctor"])).stdout, /^fail +configuration +.*lectern\.yaml:1:10: Unknown key "prt"/m);
  const checked = await home.run(["config", "check"]);
  assert.deepEqual([checked.code, checked.stdout], [1, ""]);
  assert.match(checked.stderr, /lectern\.yaml:1:10: error: Unknown key "prt"/);

  rmSync(file);
  assert.match(await home.ok("reload"), /^There is no .*lectern\.yaml: changed listen\.port, log\.level\n/);
  assert.doesNotMatch(await home.ok("info"), /The configuration has errors/);
  assert.match(await home.ok("config", "check"), /There is no file: everything has its default/);
  assert.match(await home.fails("config", "show", "x"), /^3 lectern: Unknown key "x"/);
});

test("options and environment win over the file, and without a daemon nothing is started", async () => {
  await using home = new CliHome();
  mkdirSync(home.paths.dataDirectory, { mode: 0o700 });
  writeFileSync(home.paths.configFile, "listen: {port: 1}\nlog: {level: error}\n");
  const result = await home.run(["config", "show", "--json"], { env: { LECTERN_LOG_LEVEL: "debug" } });
  const { problems, values } = JSON.parse(result.stdout) as Shown;
  assert.deepEqual(problems, []);
  assert.deepEqual(
    values.filter(({ from }) => from !== "default"),
    [
      { key: "listen.port", value: 1, from: "user" },
      { key: "log.level", value: "debug", from: "environment" },
    ],
  );
  assert.match(await home.ok("config"), /listen\.port +1 +\S+lectern\.yaml\n/);
  assert.match(await home.fails("reload"), /No daemon is running: the next one reads the configuration/);
  const ready = JSON.parse(await home.ok("up", "--detach", "--port", "0", "--json")) as { listen: string[] };
  assert.doesNotMatch(ready.listen.join(), /:1$/);
});

test("the file of a project is the nearest one up to the root of the repository, and below the home directory", async () => {
  await using home = new CliHome();
  const userFile = home.paths.configFile;
  const at = (...names: string[]): string => join(home.directory, ...names);
  mkdirSync(at("repository", ".git"), { recursive: true });
  mkdirSync(at("repository", "deep", "er"), { recursive: true });
  mkdirSync(at("plain"));
  writeFileSync(at("lectern.yaml"), "");
  const find = (directory: string, search = {}): string | undefined =>
    findProjectFile(directory, { home: home.directory, userFile, userId: process.getuid?.(), ...search });
  assert.equal(find(at("repository", "deep", "er")), undefined);
  writeFileSync(at("repository", "lectern.yaml"), "listen: {port: 1}\n");
  assert.equal(find(at("repository", "deep", "er")), at("repository", "lectern.yaml"));
  assert.equal(find(at("plain")), undefined);
  assert.equal(find(at("plain"), { home: undefined }), at("lectern.yaml"));
  assert.equal(find(at("plain"), { home: undefined, userId: -1 }), undefined);
  assert.equal(find(at("repository"), { userFile: at("repository", "lectern.yaml") }), undefined);

  const checked = await home.run(["config", "check", "repository/lectern.yaml"]);
  assert.equal(checked.code, 1);
  assert.match(checked.stderr, /repository\/lectern\.yaml:1:10: error: "listen\.port" cannot be set by a project/);
  writeFileSync(at("mine.yaml"), "listen: {port: 1}\n");
  assert.match(await home.ok("config", "check", "mine.yaml"), /no mistakes \(your file\)/);
  assert.match(await home.fails("config", "check", "mine.yaml", "--project"), /cannot be set by a project/);
});

test("lectern run takes what no option says from the files; that of the project wins", async () => {
  await using home = new CliHome();
  const { configFile, dataDirectory } = home.paths;
  const project = join(home.directory, "lectern.yaml");
  mkdirSync(dataDirectory, { mode: 0o700 });
  writeFileSync(configFile, "run:\n  labels: {team: core}\n  retainBytes: 2M\n  detachKeys: ctrl-x\n");
  const start = async (...words: string[]): Promise<unknown[]> => {
    const text = await home.ok("run", "-d", "--json", ...words);
    const { labels, summaries } = JSON.parse(text) as Readonly<Record<"labels" | "summaries", unknown>>;
    return [labels, summaries];
  };
  assert.deepEqual(await start("--label", "a=b", "--", "true"), [{ team: "core", a: "b" }, false]);

  writeFileSync(project, "run:\n  labels: {project: shop}\n  summaries: true\n");
  assert.deepEqual(await start("--", "true"), [{ project: "shop" }, true]);

  // Records are not what a cloned repository takes away.
  writeFileSync(project, "run: {retainBytes: 1M}\n");
  const noted = await home.run(["run", "-d", "--", "true"]);
  assert.equal(noted.code, 0);
  assert.match(noted.stderr, /The configuration .*lectern\.yaml has errors: see "lectern config check"/);
});
