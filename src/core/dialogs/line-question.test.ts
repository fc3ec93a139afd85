import assert from "node:assert/strict";
import { test } from "node:test";
import { lineQuestion, mayAsk } from "./line-question.ts";

const read = (line: string): string | null => {
  const found = lineQuestion(line);
  if (found === null) return null;
  return [found.kind ?? "-", ...found.options.map(({ id, isSelected }) => (isSelected ? `*${id}` : id))].join(" ");
};

const cases: readonly (readonly [line: string, reading: string | null])[] = [
  ["Proceed? [y/N] ", "- y *n"],
  ["Do you want to continue? [Y/n]", "- *y n"],
  ["Overwrite (y/n)? ", "- y n"],
  ["Are you sure you want to continue connecting (yes/no/[fingerprint])? ", "- yes no fingerprint"],
  ["Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: ", "- *y n d"],
  ["(1/2) Stage this hunk [y,n,q,a,d,K,g,/,e,?]? ", "- y n q a d K g e"],
  ["The point (x,y)? ", null],
  ["Password: ", "login"],
  ["[sudo] password for user: ", "login"],
  ["Enter passphrase for key '/k': ", "login"],
  ["Username for 'https://example.org': ", "login"],
  ["lab login: ", "login"],
  ["The password: is secret", null],
  ["usage: rm [y/n] file", null],
  ["[y/N] ", null],
  ["What is your name? ", null],
  ["$ ", null],
];

for (const [line, reading] of cases) {
  test(`"${line}" is ${reading === null ? "no question of a known form" : `read as ${reading}`}`, () => {
    assert.equal(read(line), reading);
  });
}

test("a line without a rule may be a question; the prompts of REPLs are none", () => {
  const questions = ["Continue? [yN] ", "Proceed <y/n> ", "Delete [yes|no] > ", "[Y]es or [N]o > ", "Choose 1 or 2 "];
  const words = ["Press ENTER to delete ", "Type yes to go on > ", "Wirklich löschen (j/n) ", "削除しますか？ "];
  const prompts = [">>> ", "(gdb) ", "In [1]: ", "irb(main):001:0> ", "postgres=# ", "MariaDB [(none)]> ", "You: "];
  assert.deepEqual(
    [...questions, ...words].filter((line) => !mayAsk(line)),
    [],
  );
  assert.deepEqual([...prompts, "user@host ~/src (main) $ "].filter(mayAsk), []);
});
