import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecord } from "./program-entry.ts";
import { programData } from "./programs-data.ts";
import { programNamed } from "./programs.ts";
import { analyzeShell } from "./shell.ts";

test("every record follows the form", () => {
  for (const [names, record] of Object.entries(programData)) readRecord(names, record);
});

test("each program has one record", () => {
  const names = Object.keys(programData).flatMap((each) => each.split(" "));
  // A name that is wrapped at a hyphen would be two.
  assert.deepEqual(
    names.filter((name) => !/^(?:[\w.+-]*[\w+]|[.:[])$/.test(name)),
    [],
  );
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  );
});

test("the records take at most 120 kB", () => {
  assert.ok(JSON.stringify(programData).length <= 120_000);
});

test("a program is found by its name, and nothing else is", () => {
  assert.equal(programNamed("sort"), programNamed("sort"));
  for (const name of ["constructor", "__proto__", "no-such-program"]) assert.equal(programNamed(name), undefined);
});

const isOpaque = (text: string): boolean => analyzeShell(text).actions.some((action) => action.type === "opaque");

test("a word with code is told from a word with data, program by program", () => {
  for (const text of [
    "go test -exec x ./...",
    "go build -toolexec=x",
    "cargo --config a=b build",
    "gcc-13 -wrapper x a.c",
    "cmake -E env x",
    "mvn exec:exec",
    "less '+!x' f",
    "gh alias set a b",
    "hg --config alias.a=!x a",
    "docker-compose exec a b",
    "aws ssm start-session --target a",
    "pandoc -F x a.md",
    "latexmk -e x",
    "python3 manage.py shell -c x",
    "php artisan tinker",
    "bin/rails runner x",
    "apt-get -o A::B=x update",
    "ld-linux-x86-64.so.2 /bin/rm x",
    "rake -e x",
    "java -javaagent:x.jar A",
  ])
    assert.equal(isOpaque(text), true, text);
  for (const text of [
    "go test ./... -run X -v",
    "cargo test -- --nocapture",
    "gcc-13 -Wall -o a a.c",
    "cmake -S . -B build",
    "mvn -q test",
    "less +G f",
    "gh pr view 1",
    "docker-compose up -d",
    "aws s3 ls",
    "latexmk -pdf a.tex",
    "python3 manage.py migrate",
    "php artisan test",
    "bin/rails db:migrate",
    "apt-get install -y jq",
    "rake test",
    "java -jar a.jar",
  ])
    assert.equal(isOpaque(text), false, text);
});

test("a statement that starts a program or opens a file is code, also on the input", () => {
  for (const statement of [
    ".shell x",
    "select 1;\n.read f",
    "\\! x",
    'copy t to program "x"',
    'select writefile("f", 1)',
  ])
    assert.equal(isOpaque(`psql <<< '${statement}'`), true, statement);
  for (const statement of ["select * from t", ".tables", "\\dt", "create table program (a)"])
    assert.equal(isOpaque(`psql <<< '${statement}'`), false, statement);
  assert.equal(isOpaque("sqlite3 a.db <<< '.shell x'"), true);
  assert.equal(isOpaque("sqlite3 a.db < f.sql"), true);
  assert.equal(isOpaque("sqlite3 a.db <<< 'select 1'"), false);
});
