import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, type Command, type SyntaxNode } from "unbash";
import { eachSees } from "../../../test/support/shell-actions.ts";
import { bracketDepth, evaluatedIn, expandsAgain, loopHeader, inputOf, isNumberWord, valueOf } from "./shell-nodes.ts";

const command = (text: string): Command => parse(text).commands[0]?.command as Command;

test("a parameter expansion evaluates text in some forms", () => {
  const reasons = (text: string): readonly string[] => {
    const part: SyntaxNode | undefined =
      command(`x ${text}`).args[0]?.type === "Word" ? command(`x ${text}`).args[0] : undefined;
    const expansion = part?.type === "Word" ? part.parts?.[0] : undefined;
    assert.equal(expansion?.type, "ParameterExpansion", text);
    return evaluatedIn(expansion, text);
  };
  for (const text of ["${y}", "${y[0]}", "${y[@]}", "${!y@}", "${!y[@]}", "${y:1:2}", "${y@Q}", "${y:-z}"])
    assert.deepEqual(reasons(text), [], text);
  for (const [text, expected] of [
    ["${!y}", ["expansion"]],
    ["${y[z]}", ["arithmetic"]],
    ["${y:z}", ["arithmetic"]],
    ["${y@P}", ["expansion"]],
    ["${y:-'$(z)'}", ["expansion"]],
  ] as const)
    assert.deepEqual(reasons(text), expected, text);
});

test("the value of an assignment and the input of a command are known if they are literal", () => {
  const assigned = (text: string): string | undefined => {
    const first = command(text).prefix[0];
    assert.equal(first?.type, "Assignment");
    return valueOf(first);
  };
  assert.deepEqual(["a=b", "a='b c'", "a=$b", "a=(b)"].map(assigned), ["b", "b c", undefined, undefined]);
  assert.deepEqual(
    ["sh <<< x", "sh <<'E'\nx\nE\n", "sh < x", "sh <<< $x", "sh"].map((text) => inputOf(command(text))),
    ["x", "x\n", undefined, undefined, undefined],
  );
});

test("an output that bash expands twice is told from others", () => {
  const again = (text: string): boolean => {
    const redirect = command(text).redirects[0];
    assert.ok(redirect !== undefined);
    return expandsAgain(redirect);
  };
  assert.deepEqual(["x >& y", "x 1>& y", "x 2>& y", "x > y"].map(again), [true, true, false, false]);
});

test("numbers, headers of loops and the depth of brackets are read from the text", () => {
  const word = (text: string): boolean => {
    const argument = command(`x ${text}`).args[0];
    assert.equal(argument?.type, "Word");
    return isNumberWord(argument);
  };
  assert.deepEqual(["1", "'-2'", "x", "$x"].map(word), [true, true, false, false]);
  assert.equal(loopHeader("for ((i = 0; i < 3; i++)); do "), "i = 0; i < 3; i++");
  assert.equal(loopHeader("for ((i = 0)) "), "i = 0");
  assert.deepEqual(["", "()", "(({", "(}(", ")("].map(bracketDepth), [0, 1, 3, 1, 1]);
});

test("arithmetic, tests and assignments are read as far as they are plain", () => {
  eachSees({
    "for ((i = 0; i < 3; i++)); do rm x; done": ["rm x"],
    "[[ -v name ]]": [],
    "[[ -v a[$x] ]]": ["?arithmetic"],
    "[[ 1 -lt $x ]]": ["?arithmetic"],
    "a=(x)y": ["?syntax"],
    "coproc name { rm x; }": ["rm x"],
    "cat < <(ls)": ["ls", "cat"].toReversed(),
    "ls >&2 2>&-": ["ls"],
    "ls >! x": ["ls x", "?syntax", "> !"],
    "local a+=1 b=(1)": ["local a+=1 <b=(1)>"],
  });
});
