import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { loadAll } from "./commands.ts";
import { bashCompletion, fishCompletion, zshCompletion } from "./completion-scripts.ts";

const commands = await loadAll();

/** What bash offers for the last word, with `lectern` played by a function. */
function offered(...words: string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(" ");
  const script = `${bashCompletion(commands)}
lectern() { [[ "$*" == "ls --quiet --all --no-start" ]] && printf 'build\\nweb\\n'; }
COMP_WORDS=(lectern ${line}); COMP_CWORD=${words.length}; _lectern; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", script], { encoding: "utf8" });
  assert.equal(stderr, "");
  return stdout.split("\n").filter(Boolean);
}

test("bash completes commands with their aliases", () => {
  assert.deepEqual(offered("att"), ["attach"]);
  assert.deepEqual(offered("ps"), ["ps"]);
  assert.ok(offered("").includes("completion"));
});

test("bash completes options, and not those that are hidden", () => {
  assert.deepEqual(offered("ls", "--"), ["--all", "--state", "--label", "--quiet", "--json", "--host", "--help"]);
  assert.deepEqual(offered("attach", "--read"), ["--read-only"]);
});

test("bash completes session names, choices and nothing where it knows nothing", () => {
  assert.deepEqual(offered("attach", ""), ["build", "web"]);
  assert.deepEqual(offered("kill", "build", "w"), ["web"]);
  assert.deepEqual(offered("export", "--format", "ascii"), ["asciicast-v3", "asciicast-v2"]);
  assert.deepEqual(offered("completion", "z"), ["zsh"]);
  assert.deepEqual(offered("run", "--name", ""), []);
});

test("bash completes each argument by its place, behind options and their values", () => {
  assert.ok(offered("task", "").includes("diff"));
  assert.deepEqual(offered("task", "diff", ""), ["build", "web"]);
  assert.deepEqual(offered("task", "-m", "a text", "--stat", "commit", "w"), ["web"]);
  assert.deepEqual(offered("put", "--name", "x", "w"), ["web"]);
  assert.ok(offered("put", "web", "package.j").includes("package.json"));
  assert.deepEqual(offered("config", "check", "package.j"), ["package.json"]);
  assert.deepEqual(offered("service", "status", ""), []);
});

test("bash offers programs and files to commands that run them", () => {
  assert.ok(offered("run", "--", "bas").includes("bash"));
  assert.ok(offered("run", "package.j").includes("package.json"));
});

test("bash offers directories where one is wanted", () => {
  assert.deepEqual(offered("agents", "--agents", "src/co"), ["src/core"]);
  assert.deepEqual(offered("up", "--agents", "package.j"), []);
});

test("fish takes its script and completes with it", () => {
  const script = `${fishCompletion(commands)}
complete -C "lectern run --de"`;
  const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", script], { encoding: "utf8", input: "" });
  assert.equal(stderr, "");
  assert.deepEqual(stdout.trimEnd().split("\n"), [
    "--detach\tPrint the name of the session instead of attaching",
    "--detach-keys\tDefault: ctrl-\\",
  ]);
});

test("fish offers sessions and files behind an action", () => {
  const script = `function lectern; echo web; end
${fishCompletion(commands)}
complete -C "lectern task d"; complete -C "lectern task diff w"; complete -C "lectern put w"`;
  const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", script], { encoding: "utf8", input: "" });
  assert.equal(stderr, "");
  assert.match(stdout, /^diff\ndiscard\nweb\n/);
});

test("zsh takes its script", () => {
  const { status, stderr } = spawnSync("zsh", ["-f", "-n"], { encoding: "utf8", input: zshCompletion(commands) });
  assert.deepEqual([status, stderr], [0, ""]);
});

test("zsh and fish get every command, option and summary, quoted", () => {
  const zsh = zshCompletion(commands);
  const fish = fishCompletion(commands);
  for (const command of commands) {
    const { name, options, summary } = command;
    const own = zshCompletion([command]);
    assert.ok(fish.includes(` -a ${name} -d '${summary.replaceAll(/['\\]/g, String.raw`\$&`)}'`), name);
    assert.match(zsh, new RegExp(`^    (\\S+\\|)?${name}(\\|\\S+)?\\) _arguments`, "m"));
    for (const [option, { hidden }] of Object.entries(options)) {
      assert.equal(
        ["", "*"].some((repeat) => ["", "=-"].some((value) => own.includes(`'${repeat}--${option}${value}[`))),
        hidden !== true || option === "json",
        option,
      );
      if (hidden !== true) assert.ok(fish.includes(`-l ${option}`), option);
    }
  }
});
