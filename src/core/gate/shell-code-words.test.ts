import assert from "node:assert/strict";
import { test } from "node:test";
import { codeWords, replCode } from "./shell-code-words.ts";
import { analyzeShell } from "./shell.ts";

const isOpaque = (text: string): boolean => analyzeShell(text).actions.some((action) => action.type === "opaque");

test("a word with code is told from a word with data, program by program", () => {
  assert.ok(codeWords.size > 100);
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
    "copy t to program 'x'",
    "select writefile('f', 1)",
  ])
    assert.equal(replCode.test(statement), true, statement);
  for (const statement of ["select * from t", ".tables", "\\dt", "create table program (a)"])
    assert.equal(replCode.test(statement), false, statement);
  assert.equal(isOpaque("sqlite3 a.db <<< '.shell x'"), true);
  assert.equal(isOpaque("sqlite3 a.db < f.sql"), true);
  assert.equal(isOpaque("sqlite3 a.db <<< 'select 1'"), false);
});
