import assert from "node:assert/strict";
import { test } from "node:test";
import { splitWords } from "./program-words.ts";
import { programNamed } from "./programs.ts";
import { analyzeShell } from "./shell.ts";
import { takesCode } from "./shell-interpreters.ts";
import { literalWord } from "./shell-words.ts";

const isOpaque = (text: string): boolean => analyzeShell(text).actions.some((action) => action.type === "opaque");

test("an option with code is told from a file", () => {
  const program = programNamed("python3") ?? assert.fail();
  const takes = (...texts: readonly string[]): boolean => {
    const words = texts.map((word) => literalWord(word));
    return takesCode({ program, words, split: splitWords(words, program) });
  };
  assert.deepEqual([takes("python3", "-c", "x"), takes("python3", "x.py")], [true, false]);
});

test("an interpreter without a file, or with a computed one, runs what is not read", () => {
  for (const text of [
    "python3",
    "python3 -u",
    "python3 -",
    "python3 $x",
    "python3 /dev/stdin",
    "perl",
    "node",
    "ruby -",
    "php -d a=b x.php",
  ])
    assert.equal(isOpaque(text), true, text);
  for (const text of ["python3 -V", "python3 -W error x.py", "ruby -I lib x.rb", "perl -w x.pl", "php -v"])
    assert.equal(isOpaque(text), false, text);
});

test("an interpreter that reads its program from the input runs what is not read, whatever its options", () => {
  for (const text of [
    "python3 -v",
    "python3 -u -v",
    "python3 -- /dev/stdin",
    "python3 ../../proc/self/fd/0",
    "python3 -W $x x.py",
    "node --no-warnings",
    "node --",
    "node -r fs",
    "node --input-type commonjs",
    "node --trace-warnings",
    "node --title x",
    "node --unknown x.js",
    "node --import=data:text/javascript,1 x.js",
    "node --import data:text/javascript,1 x.js",
    "node <(ls)",
    "node $x",
    "node inspect x.js",
    "ruby -r/dev/stdin x.rb",
    "tsx --tsconfig x",
    "deno --allow-read",
    "julia -t 4",
    "R --no-save",
  ])
    assert.equal(isOpaque(text), true, text);
  for (const text of [
    "node x.js -e",
    "node --test --test-reporter spec",
    "node --env-file=.env -r dotenv/config x.js",
    "node --max-old-space-size=4096 --import tsx x.ts",
    "node --run build",
    "node -v",
    "tsx --tsconfig x.json x.ts",
    "bun test",
    "deno run -A main.ts",
    "julia -t 4 x.jl",
    "python3 dev/run.py",
    "php -m",
  ])
    assert.equal(isOpaque(text), false, text);
});

test("a module of Python that runs code of its words, of the input or of another module is not read", () => {
  for (const text of [
    "-m cProfile -m timeit x",
    "-m cProfile -mcode",
    "-mcProfile /dev/stdin",
    "-m trace --module --trace timeit x",
    "-m trace -t /dev/stdin",
    "-m asyncio.__main__",
    "-m pickle /proc/self/fd/0",
    "-m cProfile $x",
    "-m $x",
  ])
    assert.equal(isOpaque(`python3 ${text}`), true, text);
  for (const text of [
    "-m cProfile -s time code.py",
    "-m cProfile -m pytest",
    "-m trace -c x.py",
    "-m pytest -c x",
    "-m a.code",
  ])
    assert.equal(isOpaque(`python3 ${text}`), false, text);
});

test("an option that names a program is found by every beginning of its name, and in a bundle", () => {
  for (const text of [
    "tar cIf x f y",
    "tar --to-c=x -xf f",
    "make -sf- x",
    "make -f /dev/stdin",
    "make --mak=/dev/stdin",
    "make --fil=-",
    "make --makefile //dev/./stdin",
    "make -f <(ls)",
    "make -sE x",
    "make 'X:=$(shell x)'",
    "make X!=x",
    "git clone --up=x . y",
    "git ls-remote --exe x .",
    "git push --re=x . y",
    "git grep --open x y",
    "install -s --strip-program=x f g",
    "sort --comp x f",
    "split --f x y",
  ])
    assert.equal(isOpaque(text), true, text);
  for (const text of [
    "tar czf Icon.tgz F",
    "tar --checkpoint=10 -cf f x",
    "make -sf Other.mk x",
    "make 'CFLAGS=$(A) -O2' -- x",
    "make -f dev/Makefile",
    "git clone --branch x y",
    "git fetch --unshallow",
    "install --strip f g",
    "sort --check f",
  ])
    assert.equal(isOpaque(text), false, text);
});

test("a sed script that only edits is read", () => {
  for (const script of [
    "p",
    "1,5p",
    "$d",
    "/a/d",
    "/a/,/b/{s/x/y/;p}",
    "s|a/b|c|g",
    "s/[a/]b/c/".replace("[a/]", "[ab]"),
    "y/a/b/",
    "1i\\\nx",
    "s/\\//-/",
    "2q",
  ])
    assert.equal(isOpaque(`sed '${script}' f`), false, script);
  for (const script of [
    "e",
    "1e x",
    "s/a/b/e",
    "s/a/b/w f",
    "w f",
    "r f",
    "/a/w f",
    "s/a/b/;e",
    "p;e",
    "{e\n}",
    "s/a[/]b/c/e x",
    "s/a\n/e",
  ])
    assert.equal(isOpaque(`sed '${script}' f`), true, script);
  for (const text of ["sed -f x f", "sed --expression=e f", "sed -n -e p -e e f", "sed $x f", "sed p $x"])
    assert.equal(isOpaque(text), true, text);
});

test("an awk program that only reads is read", () => {
  for (const program of ["{print $1}", "$1 > 5", "/a/ || /b/", "NR >= 2 { x = $1 } END { print x }"])
    assert.equal(isOpaque(`awk '${program}' f`), false, program);
  for (const program of ["{print > $1}", "{print | $1}", "BEGIN{system(x)}", "{$1 | getline}", "@f()"])
    assert.equal(isOpaque(`awk '${program}' f`), true, program);
  for (const text of ["awk -f x", "awk $x f", "awk -v a=$x '{print}' f"]) assert.equal(isOpaque(text), true, text);
  assert.equal(isOpaque("awk -v \"a=$x\" '{print a}' f"), false);
});

test("a runner shows what it starts, and needs no further permission for it", () => {
  const actions = (text: string): readonly string[] =>
    analyzeShell(text).actions.map((action) =>
      action.type === "command"
        ? `${action.words.map((word) => word.text).join(" ")} ${action.transparent}`
        : action.type,
    );
  assert.deepEqual(actions("uv run pytest -x"), ["uv run pytest -x false", "pytest -x true"]);
  // A program of every system needs its own permission.
  assert.deepEqual(actions("uv run rm -rf x"), ["uv run rm -rf x false", "rm -rf x false"]);
});
