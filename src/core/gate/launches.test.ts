import assert from "node:assert/strict";
import { test } from "node:test";
import { readCommand } from "./effects.ts";
import { literalWord, unknownWord, withPlainName } from "./shell-words.ts";

/** `$x` is a computed word. */
const words = (text: string): ReturnType<typeof literalWord>[] =>
  text.split(" ").map((word) => (word.startsWith("$") ? unknownWord(word) : literalWord(word)));

/** One short string per launch. */
function launched(text: string): readonly string[] {
  return (readCommand(words(text))?.launches ?? []).map((launch) => {
    switch (launch.type) {
      case "command":
        return launch.words.map((word) => word.value ?? `<${word.text}>`).join(" ");
      case "script":
        return `script ${launch.text}`;
      case "input":
        return "input";
      case "statements":
      case "sourced":
        return launch.type;
      case "program":
        return `${launch.language} ${launch.text ?? "input"}`;
      case "opaque":
        return `opaque ${launch.reason}`;
    }
  });
}

test("options with and without values are skipped in every spelling", () => {
  for (const [text, expected] of [
    ["nice -n 5 rm", "rm"],
    ["nice -n5 rm", "rm"],
    ["nice -10 rm", "rm"],
    ["nice --adjustment=5 rm", "rm"],
    ["nice --adjustment 5 rm", "rm"],
    ["timeout -s KILL -k5 10s rm x", "rm x"],
    ["timeout --foreground 10 rm", "rm"],
    ["env - A=1 rm", "rm"],
    ["env -uA rm", "rm"],
    ["stdbuf -oL -e 0 rm", "rm"],
    ["exec -a name rm", "rm"],
    ["sudo -nu root A=1 rm x", "rm x"],
    ["sudo --user=root rm", "rm"],
    ["setsid -w rm", "rm"],
    ["ionice -c2 -n 7 rm", "rm"],
    ["time -p rm", "rm"],
  ] as const) {
    assert.deepEqual(launched(text), [expected], text);
  }
});

test("an unknown or computed option is not guessed", () => {
  for (const text of [
    "nice -z rm",
    "env -C /tmp rm",
    "sudo $x rm",
    "timeout --kill=5 5 rm",
    "xargs -i rm",
    "bash -O x -c rm",
    "sh $x",
    "sudo -i",
    "sudo",
    "time -o x rm",
    "sudo -h x rm",
    "xargs --exit=1 rm",
  ]) {
    const reason = text === "sh $x" ? "computed-script" : "launcher";
    assert.deepEqual(launched(text), [`opaque ${reason}`], text);
  }
});

test("only launchers that do nothing of their own are transparent", () => {
  for (const text of ["env rm", "command rm", "timeout 1 rm", "xargs rm", "bash -c rm", "nohup rm"]) {
    assert.equal(readCommand(words(text))?.transparent, true, text);
  }
  for (const text of ["sudo rm", "doas rm", "find . -exec rm ;", "alias a=rm", "ls", "bash", "env", "bash file"]) {
    assert.equal(readCommand(words(text))?.transparent, false, text);
  }
});

test("a shell runs its text, its input or a file", () => {
  assert.deepEqual(launched("sh -c rm"), ["script rm"]);
  assert.deepEqual(launched("sh +e -xc rm"), ["script rm"]);
  assert.deepEqual(launched("bash --norc --login -c rm"), ["script rm"]);
  assert.deepEqual(launched("sh"), ["input"]);
  assert.deepEqual(launched("sh -e"), ["input"]);
  assert.deepEqual(launched("sh file -c rm"), []);
  assert.deepEqual(launched("sh -c $x"), ["opaque computed-script"]);
});

test("the texts that xargs replaces are computed", () => {
  assert.deepEqual(launched("xargs -I {} cp {} a{}b c"), ["cp <{}> <a{}b> c"]);
  assert.deepEqual(launched("xargs -0I% cp % c"), ["cp <%> c"]);
  assert.deepEqual(launched("xargs --replace=X cp X c"), ["cp <X> c"]);
  assert.deepEqual(launched("xargs -I{} {} x"), ["<{}> x"]);
  assert.deepEqual(launched("xargs -n 1"), []);
  assert.deepEqual(launched("xargs --replace rm {} x"), ["rm <{}> x"]);
  assert.deepEqual(launched("xargs -0 --max-lines rm x"), ["rm x <(input)>"]);
  assert.deepEqual(launched("xargs --max-lines=2 --eof=x rm"), ["rm <(input)>"]);
  assert.deepEqual(launched("xargs -dI env"), ["env <(input)>"]);
  assert.deepEqual(launched("xargs -d -I env"), ["env <(input)>"]);
  assert.deepEqual(launched("xargs -I{} -L1 rm {}"), ["rm <{}> <(input)>"]);
});

test("a plus ends a command of find only behind braces, and only so many commands are read", () => {
  assert.deepEqual(launched("find . -exec rm + -rf / ;"), ["rm + -rf /"]);
  assert.deepEqual(launched("find . -exec rm {} + -exec ls ;"), ["rm <{}>", "ls"]);
  assert.equal(launched(`find .${" -exec a ;".repeat(10_000)}`).at(-1), "opaque launcher");
});

test("a name is looked up without its folder", () => {
  assert.equal(withPlainName(words("/usr/bin/env x"))[0]?.value, "env");
  assert.equal(withPlainName(words("$x y"))[0]?.value, undefined);
});

test("traps and aliases without a text launch nothing", () => {
  for (const text of ["trap - EXIT", "trap EXIT", "trap -p EXIT", "trap"]) assert.deepEqual(launched(text), [], text);
  assert.deepEqual(launched("alias ls"), ["script "]);
});

test("a word behind an option of a runner may be its value or the command", () => {
  assert.deepEqual(launched("uv run --with a rm x"), ["a rm x", "rm x"]);
  assert.deepEqual(launched("uv run --with=a rm x"), ["rm x"]);
  assert.deepEqual(launched("npx -y prettier --check ."), ["prettier --check ."]);
});

test("a database's shell without a statement reads its input", () => {
  assert.deepEqual(launched("sqlite3 a.db"), ["statements"]);
  assert.deepEqual(launched("psql -U a db"), ["statements"]);
  for (const text of ["sqlite3 a.db .tables", "psql -c x", "psql -f a.sql", "mysql -e x"])
    assert.deepEqual(launched(text), [], text);
});

test("a runner of tens of thousands of words is read in one pass", () => {
  assert.deepEqual(launched(`npx${" -y".repeat(20_000)} rm x`), ["rm x"]);
  assert.deepEqual(launched(`npx x${" -y".repeat(20_000)}`), [`x${" -y".repeat(20_000)}`]);
  assert.deepEqual(launched(`npm test${" y".repeat(30_000)} exec`), []);
  assert.deepEqual(launched(`npm test${" -y".repeat(30_000)} exec`), []);
});

test("a command in a container is judged, and what gives it a part of this machine is not read", () => {
  for (const [text, expected] of [
    ["docker exec -it -u root db rm x", ["rm x"]],
    ["docker run --rm -p 1:2 --name a redis:7", []],
    ["podman run --rm alpine rm x", ["rm x"]],
    ["docker run -v /:/y alpine", ["opaque launcher"]],
    ["docker run --rm $x", ["opaque launcher"]],
    ["docker exec -p x db rm", ["opaque launcher"]],
    ["docker compose exec db rm x", ["opaque launcher"]],
    ["docker ps", []],
  ] as const)
    assert.deepEqual(launched(text), expected, text);
});

test("the start of a virtual environment and short programs are told from other files and code", () => {
  for (const [text, expected] of [
    ["source .venv/bin/activate", ["sourced"]],
    [". ./venv/bin/activate", ["sourced"]],
    ["source ../venv/bin/activate", ["opaque launcher"]],
    ["source .venv/bin/activate x", ["opaque launcher"]],
    ["node -p process.arch", ["node process.arch"]],
    ["python3 -", ["python input"]],
    ["ruby -e x", ["opaque launcher"]],
  ] as const)
    assert.deepEqual(launched(text), expected, text);
});

test("what a shell, a trap, a container or a database runs is read, or unknown", () => {
  const table: Readonly<Record<string, readonly string[]>> = {
    "command -v rm": [],
    "bash -eo pipefail -c ls": ["script ls"],
    "bash -o $x -c ls": ["opaque launcher"],
    "bash -oc pipefail ls": ["opaque launcher"],
    "ld-linux-x86-64.so.2 /bin/rm x": ["opaque launcher"],
    "bash -c": ["opaque computed-script"],
    "bash -c $x": ["opaque computed-script"],
    trap: [],
    "trap - INT": [],
    "trap ls": [],
    "trap ls EXIT": ["script ls"],
    "trap $x EXIT": ["opaque computed-script"],
    "alias $x": ["opaque computed-script"],
    "alias a=ls b": ["script ls", "script "],
    "docker run --rm alpine rm x": ["rm x"],
    "docker exec box": [],
    "docker exec $x rm": ["opaque launcher"],
    "sqlite3 a.db": ["statements"],
    "sqlite3 a.db select": [],
    "sqlite3 -version": [],
    "psql -c select": [],
    "psql $x": ["opaque launcher"],
    psql: ["statements"],
    "xargs -I {} rm {} $x": ["rm <{}> <$x>"],
    "env A=$x rm": ["rm"],
    "env $x": ["opaque launcher"],
  };
  const found = Object.fromEntries(Object.keys(table).map((text) => [text, launched(text)]));
  assert.deepEqual(found, table);
});
