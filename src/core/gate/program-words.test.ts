import assert from "node:assert/strict";
import { test } from "node:test";
import { readRecord, type ProgramEntry } from "./program-entry.ts";
import { splitWords } from "./program-words.ts";
import { literalWord } from "./shell-words.ts";

/** `-o=x` for an option, `x` for an operand, `?x` for what is unknown. */
function split(text: string, record: ProgramEntry): string {
  const words = text.split(" ").map((word) => literalWord(word));
  const { operands, options, unknown } = splitWords(words, readRecord("x", record));
  return [
    ...options.map(({ name, value }) => (value === null ? name : `${name}=${value.text}`)),
    ...operands.map(({ word }) => word.text),
    ...unknown.map(({ word }) => `?${word.text}`),
  ].join(" ");
}

test("GNU: bundles, glued values, operands anywhere, --", () => {
  const record = { options: { nothing: "-r -n -c|--check=?", write: "-o|--output=" } };
  assert.equal(split("x -rno f a -nof b", record), "-r -n -o=f -n -o=f a b");
  assert.equal(split("x --output=f --output g --check=y -- -r", record), "--output=f --output=g --check=y -r");
  assert.equal(split("x -c y", record), "-c y");
  assert.equal(split("x -o", record), "?-o");
  assert.equal(split("x --check-all", record), "?--check-all");
});

test("POSIX: the first operand ends the options", () => {
  assert.equal(split("x -k 5 rm -r", { parse: "posix", options: { nothing: "-k=" } }), "-k=5 rm -r");
});

test("tar: letters without a dash take their values in order", () => {
  const record = { parse: "tar", options: { nothing: "-x -v", read: "-f=", folder: "-C=" } };
  assert.equal(split("x xvfC a.tar d y", record), "-x -v -f=a.tar -C=d y");
});

test("find: folders, primaries, commands", () => {
  const record = { parse: "find", options: { nothing: "-name= ! -o ( )", exec: "-exec", delete: "-delete" } };
  assert.equal(split("x a b -name c -exec rm {} ; -delete", record), "-name=c -exec -delete a b");
  assert.equal(split("x a -nane c", record), "a ?-nane ?c");
});

test("dd: names before =", () => {
  assert.equal(split("x if=a of=b bs=1", { parse: "dd", options: { read: "if=", write: "of=" } }), "if=a of=b ?bs=1");
});

test("long names with one dash", () => {
  const record = { parse: "long", options: { write: "-out=", nothing: "-v -O=" } };
  assert.equal(split("x -out a --out=b -v -O2 c", record), "-out=a --out=b -v -O=2 c");
});
