/** The commands of docs/search.md print what stands under them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "../documents.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

test("the commands of docs/search.md print what stands under them", async () => {
  const home = await shared.empty();
  const steps = blocksOf("docs/search.md")
    .filter(({ language }) => language === "console")
    .flatMap(({ text }) => text.split(/^\$ /m).slice(1));
  assert.ok(steps.length >= 9);
  for (const step of steps) {
    const [command = "", ...printed] = step.split("\n");
    const { stdout } = await home.shell(command.replace(/^lectern/, "$L"));
    assert.equal(stdout, printed.join("\n"), command);
  }
});
