import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, type Command } from "unbash";
import { eachSees } from "../../../test/support/shell-actions.ts";
import { bodyOf, printedBy, printedDocument, readsElsewhere, soleCommand } from "./shell-inputs.ts";

const command = (text: string): Command => {
  const found = soleCommand(parse(text));
  assert.ok(found !== undefined, text);
  return found;
};

test("a literal here-document is known, and one with expansions is not", () => {
  const body = (text: string): string | undefined => {
    const document = command(text).redirects[0];
    assert.equal(document?.type, "HereDoc");
    return bodyOf(document);
  };
  assert.equal(body("cat <<'E'\na $x\nE\n"), "a $x\n");
  assert.equal(body("cat <<-'E'\n\ta\nE\n"), "a\n");
  assert.equal(body("cat <<E\na\nE\n"), "a\n");
  assert.equal(body("cat <<E\na $x\nE\n"), undefined);
  assert.equal(body("cat <<E\na\\\nb\nE\n"), undefined);
});

test("cat with nothing but a here-document prints it", () => {
  const printed = (text: string): string | undefined => printedBy(parse(text));
  assert.equal(printed("cat <<'E'\na\n\n\nE\n"), "a");
  assert.equal(printedDocument(command("cat <<'E'\na\nE\n")), "a\n");
  for (const text of [
    "cat x <<'E'\na\nE\n",
    "tac <<'E'\na\nE\n",
    "A=b cat <<'E'\na\nE\n",
    "cat <<'E' > x\na\nE\n",
    "cat 3<<'E'\na\nE\n",
    "cat <<'E'; ls\na\nE\n",
    "cat <<'E' &\na\nE\n",
    "cat <<'E' | ls\na\nE\n",
  ])
    assert.equal(printed(text), undefined, text);
  assert.equal(printedBy(undefined), undefined);
});

test("an input of its own comes before a pipe", () => {
  assert.deepEqual(
    ["sh", "sh > x", "sh < x", "sh <<< x"].map((text) => readsElsewhere(command(text))),
    [false, false, true, true],
  );
});

test("a program that reads what is printed is read with it, if that is known", () => {
  eachSees({
    "echo 'ls' | sh": ["echo ls", "sh", "?input-script"],
    "cat <<'E' | sh\nls\nE": ["cat", "sh", "ls"],
    "cat <<'E' | psql\nselect 1;\nE": ["cat", "psql"],
    "echo 1 | python3": ["echo 1", "python3", "?launcher"],
    ". env/bin/activate": [". env/bin/activate"],
    "ls; . env/bin/activate": ["ls", ". env/bin/activate", "?launcher"],
  });
});
