import assert from "node:assert/strict";
import { test } from "node:test";
import { OptionWords } from "./option-words.ts";
import { ruleWords } from "./git-words.ts";
import { literalWord, unknownWord, type ShellWord } from "./shell-words.ts";

const optionsIn = (words: readonly ShellWord[]): OptionWords => {
  const { options, restricted } = ruleWords(words);
  return OptionWords.of(restricted, options);
};
const optionsOf = (text: string): OptionWords => optionsIn(text.split(" ").map((word) => literalWord(word)));

test("an allow knows an option alone, in a bundle and with its value", () => {
  const options = optionsOf("x -rf --force=y -1.a dir -- -z");
  for (const spelling of ["-r", "-f", "-rf", "--force", "--force=y", "-1.a"])
    assert.equal(options.has([spelling], "allow"), "yes", spelling);
  for (const spelling of ["-z", "--forced", "--for", "-1", "-force", "-d", "--"])
    assert.equal(options.has([spelling], "allow"), "no", spelling);
});

test("an ask or deny also knows abbreviations, a value behind a bundle, and long names with one dash or two", () => {
  const options = optionsOf("x --forc -qf/x -http=y +main");
  for (const spelling of ["--force", "-q", "-f", "--http", "-http", "+m"])
    assert.equal(options.has([spelling], "deny"), "yes", spelling);
  for (const spelling of ["-x", "--for", "-m", "--"]) assert.equal(options.has([spelling], "ask"), "no", spelling);
});

test("options that the operands of a push stand for count, and a computed word may be any", () => {
  assert.equal(optionsOf("git push origin +main").has(["--force"], "deny"), "yes");
  const computed = optionsIn([literalWord("x"), unknownWord("$y"), literalWord("-a")]);
  assert.equal(computed.has(["-b"], "deny"), "maybe");
  assert.equal(computed.has(["-a"], "deny"), "yes");
});
