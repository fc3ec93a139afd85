import assert from "node:assert/strict";
import { test } from "node:test";
import { serverLauncher } from "./server-launch.ts";

const files = { socket: "/s/it's/socket", plain: "/s/it's/plain" };
const scriptOf = (...words: string[]): string => serverLauncher(["/bin/codex", ...words], files)[2] ?? "";

test("the server takes the settings of the command, and nothing that is for the terminal", () => {
  const script = scriptOf(
    "-c",
    'model="x y"',
    "-m",
    "gpt-5",
    "--enable=a",
    "resume",
    "0-1",
    "--strict-config",
    "make it",
  );
  const [server = ""] = script.split("\n");
  assert.match(
    server,
    /^\/bin\/codex app-server --listen '[^\n]*socket' -c 'model="x y"' --enable=a --strict-config </,
  );
  assert.match(script, /\nexec "\$program" --remote '[^\n]*' "\$@"$/);
});

test("a command that is not known to work with a server is started as it is", () => {
  const left = [["--no-daemon"], ["-p", "work"], ["exec", "x"], ["login"], ["--remote", "ws://x"], ["--oss"], ["-c"]];
  for (const words of left) assert.equal(scriptOf(...words), "", words.join(" "));
  assert.deepEqual(serverLauncher(["my-codex"], files), []);
  for (const words of [[], ["fix the test"], ["--", "exec"], ["resume", "--last"], ["--model=gpt-5"]])
    assert.notEqual(scriptOf(...words), "", words.join(" "));
});
