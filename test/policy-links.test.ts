/** The shipped policies in a folder with links that lead out of it: what the kernel would open is judged, not only its name. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { shippedPolicies, shippedPolicyText } from "../src/cli/shipped-policies.ts";
import { decide, type Decision } from "../src/core/gate/decide.ts";
import { checkPolicyText } from "../src/core/gate/policy-text.ts";
import { DiskView } from "../src/disk/file-view.ts";

// Below /tmp, which the policies let be, a link could not lead outside; the clone may be there.
const outside = [process.env["XDG_RUNTIME_DIR"], import.meta.dirname, homedir(), "/dev/shm", "/var/tmp"].find(
  (folder) => folder !== undefined && existsSync(folder) && !realpathSync(folder).startsWith("/tmp/"),
);
assert.ok(outside !== undefined);
const root = realpathSync(mkdtempSync(join(outside, "links-")));
after(() => rmSync(root, { recursive: true, force: true }));
const project = join(root, "project");
const secret = join(root, "sec");
for (const folder of [
  join(project, "src"),
  join(project, ".git/hooks"),
  join(project, "docs"),
  secret,
  join(root, ".ssh"),
])
  mkdirSync(folder, { recursive: true });
writeFileSync(join(secret, "o.txt"), "secret");
writeFileSync(join(project, "src/a.txt"), "a");
for (const [target, name] of [
  ["../sec", "k"],
  ["../sec/o.txt", "o.txt"],
  ["../../sec/o.txt", "src/o.txt"],
  ["../sec/new", "dangling"],
  [".git/hooks", "hk"],
  ["src", "inside"],
  ["loop", "loop"],
] as const)
  symlinkSync(target, join(project, name));
// The session may name its folder by a link.
symlinkSync(project, join(root, "here"));
mkdirSync(join(root, "clean/src"), { recursive: true });
writeFileSync(join(root, "clean/src/a.txt"), "a");
symlinkSync("src", join(root, "clean/inside"));

const policies = shippedPolicies.map((name) => {
  const checked = checkPolicyText(shippedPolicyText(name));
  assert.ok(checked.ok);
  return { name, policy: checked.policy };
});

function decided(name: string, tool: string, given: unknown, folder = project): Decision {
  const policy = policies.find((each) => each.name === name)?.policy;
  assert.ok(policy);
  const context = { workingDirectory: folder, home: root, labels: [], files: () => new DiskView() };
  return decide(policy, { name: tool, arguments: given, finish: "tool_calls" }, context);
}

test("a checkout of a name that the work tree does not have loses nothing", () => {
  const effects = (commands: readonly string[]) =>
    commands.map((command) => `${decided("coding", "Bash", { command }).effect} ${command}`);
  const branches = [
    "git checkout main",
    "git checkout HEAD~2",
    "git -C src checkout main",
    "cd src && git checkout v1",
  ];
  assert.deepEqual(
    effects(branches),
    branches.map((command) => `allow ${command}`),
  );
  const files = [
    "git checkout src",
    "git checkout main src/a.txt",
    "git checkout .",
    "git checkout '*.md'",
    "git checkout :/none",
    "git checkout dangling",
    "git checkout main -f",
    "cd src && git checkout a.txt",
    "git -C src checkout a.txt",
    "git restore src/a.txt",
  ];
  assert.deepEqual(
    effects(files),
    files.map((command) => `ask ${command}`),
  );
});

test("names that a text does not have are asked about where files are that something executes", () => {
  const folder = join(root, "brings");
  for (const name of ["src", "vendor", "packages/a"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "packages/a/package.json"), "{}");
  const asked: Readonly<Record<string, string>> = {
    "tar xf x.tar": ".git/hooks below .",
    "unzip x.zip": ".git/hooks below .",
    "cp -r src/. .": ".git/hooks below .",
    "tar xf x.tar -C packages": "a/package.json below packages",
    "unzip x.zip -d packages/a": "package.json below packages/a",
    "cp -r src/. packages/a": "package.json below packages/a",
    "cp -rT src packages/a": "package.json below packages/a",
    // The archive may have a link `docs` to `.git`, and `docs/hooks/pre-commit`.
    "tar xf x.tar docs": ".git/hooks below .",
  };
  for (const [command, path] of Object.entries(asked)) {
    const { effect, message } = decided("coding", "Bash", { command }, folder);
    assert.deepEqual([effect, message.endsWith(`${command} may write ${path}`)], ["ask", true], message);
  }
  for (const command of [
    "tar xf x.tar -C vendor",
    "mkdir new && tar xf x.tar -C new && ls -R new && grep -r x new",
    "mkdir new && cd new && tar xf ../x.tar",
    "cd vendor && ls && unzip ../x.zip",
    "cd packages && cd a && cat ../../src/x",
    "unzip x.zip -d new && ls new",
    "unzip -l x.zip",
    "unzip -p x.zip a | head",
    "tar xOf x.tar a",
    "cp -r src .",
    "cp -r src/ dst/",
    "cp -r src packages/a",
    "mv src packages/a/",
    "cp -rT src vendor",
    "git init",
    "git format-patch -1",
    "git worktree list",
  ])
    assert.equal(decided("coding", "Bash", { command }, folder).effect, "allow", command);
});

test("a command behind `cd FOLDER &&` is judged in that folder alone, if it surely runs there", () => {
  const folder = join(root, "inside");
  for (const name of ["new", "packages/a"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "packages/a/package.json"), "{}");
  symlinkSync("packages/a", join(folder, "link"));
  for (const command of [
    "cd new; tar xf ../x.tar",
    "cd new || tar xf x.tar",
    "cd new && true || tar xf x.tar",
    "cd new && cd .. && tar xf x.tar",
    "cd new && (cd ..; tar xf x.tar)",
    "cd new && cd - && tar xf x.tar",
    "cd new && for x in 1 2; do tar xf x.tar; cd ..; done",
    "cd new && tar xf ../x.tar; tar xf x.tar",
    "cd() { :; }; cd new && tar xf x.tar",
    "alias cd=:; cd new && tar xf x.tar",
    "CDPATH=..; cd new && tar xf x.tar",
    "cd packages && tar xf ../x.tar",
    "cd link && tar xf ../../x.tar",
    "cd new && cat ../../x",
  ])
    assert.equal(decided("coding", "Bash", { command }, folder).effect, "ask", command);
});

const attacks = [
  "cat k/o.txt",
  "cat o.txt",
  "cat ./src/../k/o.txt",
  "cat k/../sec/o.txt",
  "cat < k/o.txt",
  "cat < o.txt",
  "cat loop",
  "cat *",
  "cat *.txt",
  "cat */o.txt",
  "cat src/*",
  "wc -l *",
  "head k*/*",
  "grep x k/*.txt",
  "grep -r x k",
  "grep -R x .",
  "grep -R x",
  "grep -R x src",
  "grep -r x k/",
  "rg -L x",
  "fd -L x",
  "fd --follow -e txt x",
  "rg --follow x src",
  "find -L . -name '*.txt'",
  "diff -r src docs",
  "diff src .",
  "diff -N docs src",
  "ls -LR",
  "du -L .",
  "ls k/",
  "cd k",
  "cd k && cat o.txt",
  "cd src && cat o.txt",
  "cd src && cat ../k/o.txt",
  "git diff k/o.txt",
  "sort -to.txt o.txt",
];
const writes = [
  "tee k/new < src/a.txt",
  "echo x > k/new",
  "echo x > dangling",
  "echo x > hk/pre-commit",
  "cp src/a.txt hk/pre-commit",
  "tee k/../x9 < src/a.txt",
  "cp src/a.txt k/../x9",
  "echo q > k/../x9",
  "cp -rL . /tmp/c",
  "cp -rL src /tmp/c",
  "cp o.txt /tmp/c",
  "cp src/* /tmp/c",
];

test("no shipped policy reads outside through a link, by a name, a pattern or a walk", () => {
  for (const { name } of policies)
    for (const command of attacks) {
      const decision = decided(name, "Bash", { command });
      assert.notEqual(decision.effect, "allow", `${name}: ${command}`);
    }
});

test("no shipped policy writes outside, or what is executed later, through a link", () => {
  for (const { name } of policies) {
    for (const command of writes)
      assert.notEqual(decided(name, "Bash", { command }).effect, "allow", `${name}: ${command}`);
    for (const [tool, given] of [
      ["Read", { file_path: "k/o.txt" }],
      ["Read", { file_path: join(project, "o.txt") }],
      ["Edit", { file_path: "k/x" }],
      ["Write", { file_path: "hk/pre-commit" }],
      ["Write", { file_path: "dangling" }],
      ["Write", { file_path: "k/../x9" }],
      ["write_file", { path: "src/../k/x" }],
      ["LS", { path: "k" }],
      ["Bash", { command: "cat o.txt", workdir: "k" }],
      ["Bash", { command: "cat x9", workdir: "k/.." }],
      ["apply_patch", "*** Begin Patch\n*** Update File: k/x\n@@\n+x\n*** End Patch\n"],
    ] as const)
      assert.notEqual(decided(name, tool, given).effect, "allow", `${name}: ${tool} ${JSON.stringify(given)}`);
  }
});

test("links that stay inside, and a working directory that is a link, change nothing", () => {
  for (const command of [
    "cat src/a.txt",
    "cat inside/a.txt",
    "grep -r x src",
    "ls",
    "cat src/../src/a.txt",
    "cat src/new",
    "find .",
  ])
    for (const folder of [project, join(root, "here")])
      assert.equal(decided("review", "Bash", { command }, folder).effect, "allow", `${folder}: ${command}`);
  for (const command of ["wc -l *", "wc -l */a.txt", "grep -R x .", "rg -L x", "find -L .", "cat inside/../src/a.txt"])
    assert.equal(decided("ci", "Bash", { command }, join(root, "clean")).effect, "allow", command);
  assert.equal(decided("ci", "Edit", { file_path: join(root, "here/src/a.txt") }, join(root, "here")).effect, "allow");
  assert.equal(decided("ci", "Edit", { file_path: "inside/a.txt" }).effect, "allow");
});

test("the decision says where a link leads, and when there is too much to follow", () => {
  assert.match(
    decided("coding", "Bash", { command: "cat k/o.txt" }).message,
    /a link in or below k\/o\.txt leads to .*sec\/o\.txt/,
  );
  const policy = policies[0]!.policy;
  const files = () => new DiskView({ entriesMax: 3 });
  const context = { workingDirectory: join(root, "clean"), home: root, labels: [], files };
  const decision = decide(
    policy,
    { name: "Bash", arguments: { command: "grep -R x ." }, finish: "tool_calls" },
    context,
  );
  assert.notEqual(decision.effect, "allow");
  assert.match(decision.message, /too many to follow/);
});
