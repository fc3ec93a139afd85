import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { readCommand } from "./effects.ts";
import { literalWord, unknownWord } from "./shell-words.ts";

/** `$x` is a computed word. One short string per launch; a covered program has brackets. */
function launched(text: string): readonly string[] {
  const words = text.split(" ").map((word) => (word.startsWith("$") ? unknownWord(word) : literalWord(word)));
  return (readCommand(words)?.launches ?? []).map((launch) => {
    if (launch.type === "command") {
      const command = launch.words.map((word) => word.value ?? word.text).join(" ");
      return launch.isCovered === true ? `[${command}]` : command;
    }
    return launch.type === "script" ? `script ${launch.text}` : launch.type;
  });
}

test("each command of npm is known, and one that is not known is opaque", () => {
  const help = execFileSync("npm", ["help"], { encoding: "utf8" });
  const names =
    help
      .split("All commands:")[1]
      ?.split("\n\nSpecify")[0]
      ?.match(/[a-z-]+/g) ?? [];
  assert.ok(names.length > 50, help);
  const isOpaque = (name: string): boolean => launched(`npm ${name}`).includes("opaque");
  // They open an editor and change the settings, which name programs.
  assert.deepEqual(names.filter(isOpaque), ["edit", "set"]);
  for (const name of ["frobnicate", "ru", "expl", "runScript", "$x"]) assert.ok(isOpaque(name), name);
});

test("what a package manager starts is a command of its own", () => {
  const table: readonly (readonly [string, readonly string[]])[] = [
    ["npm run env -- rm c", ["env rm c"]],
    ["npm run env -- -S rm", ["env -S rm"]],
    ["npm run-script env rm c", ["env rm c"]],
    ["npm rum --silent env rm c", ["env rm c"]],
    ["npm -w a run env -- rm c", ["env rm c"]],
    ["npm --prefix run run env -- rm c", ["env rm c"]],
    ["npm run env", ["env"]],
    ["npm run build -- env", []],
    ["npm test -- env rm", []],
    ["npm run $x -- rm c", ["opaque"]],
    ["npm explore . -- rm c", ["script rm c"]],
    ["npm explore .", ["input"]],
    ["npm explore . $x", ["opaque"]],
    ["npm exec -- mocha x", ["[mocha x]"]],
    ["npm --silent x rm c", ["[rm c]"]],
    ["npm pkg set scripts.x=y", ["opaque"]],
    ["npm pkg get name", []],
    ["npm config set script-shell x", ["opaque"]],
    ["npm c --location project set x y", ["opaque"]],
    ["npm config get registry", []],
    ["npx -p typescript tsc", ["[typescript tsc]", "[tsc]"]],
    ["pnpm -r exec rm c", ["[rm c]"]],
    ["pnpm --filter a exec rm c", ["[rm c]"]],
    ["pnpm recursive exec rm c", ["[rm c]"]],
    ["pnpm run env rm c", ["env rm c"]],
    ["pnpm test", ["[test]"]],
    ["yarn eslint --init", ["[eslint --init]"]],
    ["yarn workspace a exec rm c", ["[rm c]"]],
    ["yarn workspaces foreach -A run rm c", ["[rm c]"]],
    ["yarn workspace exec build", []],
    ["bun run rm c", ["[rm c]"]],
    ["bun --bun x cowsay", ["[cowsay]"]],
    ["uv tool run ruff check", ["[ruff check]"]],
    ["cargo watch -x test", ["opaque"]],
    ["cargo +nightly watch -- ls", ["opaque"]],
    ["cargo test watch", []],
    ["cmake -E rm c", ["rm c"]],
    ["cmake -E copy_directory a b", ["cp -r a b"]],
    ["cmake --build build", []],
    ["deno task --eval x", ["opaque"]],
    ["deno task build", []],
  ];
  for (const [text, expected] of table) assert.deepEqual(launched(text), expected, text);
});

test("what a package manager does is judged beside what it starts", () => {
  for (const text of ["npx -y rm c", "npm exec rm c", "pnpm -r exec rm c", "cmake -E rm c"])
    assert.equal(readCommand(text.split(" ").map((each) => literalWord(each)))?.transparent, false, text);
});

test("a word that every object has a property for is a word like any other", () => {
  for (const word of ["constructor", "toString", "hasOwnProperty", "__proto__"])
    for (const command of [
      `npm ${word} x`,
      `pnpm ${word} set`,
      `yarn ${word} exec rm`,
      `cmake -E ${word} x`,
      `cargo ${word}`,
      `docker ${word} x`,
    ])
      assert.doesNotThrow(() => readCommand(command.split(" ").map((each) => literalWord(each))), command);
});
