/** docs/gateway.md says what the gateway does. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { commandNames, loadCommand } from "../src/cli/commands.ts";
import { parseArguments } from "../src/cli/parse-arguments.ts";
import { checkPolicyText } from "../src/core/gate/policy-text.ts";
import { builtInAgents } from "../src/core/agents/built-in-agents.ts";

const text = readFileSync(join(import.meta.dirname, "../docs/gateway.md"), "utf8");
const blocksOf = (language: string): string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, block = ""]) => block);

test("the policies in docs/gateway.md are good ones", () => {
  const policies = blocksOf("yaml");
  assert.ok(policies.length > 0);
  for (const policy of policies) assert.ok(checkPolicyText(policy).ok, policy);
});

test("every command line in docs/gateway.md is one that lectern takes", async () => {
  const lines = blocksOf("bash")
    .flatMap((block) => block.split("\n"))
    .filter((line) => line.startsWith("lectern "));
  assert.ok(lines.length > 8);
  for (const line of lines) {
    const words = line.replace(/ +#.*/, "").split(/ +/).slice(1);
    const command = await loadCommand(words[0] ?? "");
    assert.ok(command, `${line}: one of ${commandNames.join(", ")}`);
    assert.equal(parseArguments(command, words.slice(1)).help, false, line);
  }
});

test("docs/gateway.md lists every agent with its routes", () => {
  const rows = [
    ...text.matchAll(
      /^\| ([A-Z]\S+(?: \S+)?|opencode|pi) +\| (none|(?:anthropic|openai|gemini|code-assist|,| )+?) +\|/gm,
    ),
  ];
  const listed = rows.map(([, title, routes = ""]) => `${title}: ${routes.replaceAll(",", "")}`);
  const known = builtInAgents.agents.flatMap(({ launch, title }) =>
    launch === null ? [] : [`${title.replace("GitHub ", "")}: ${launch.routes.join(" ") || "none"}`],
  );
  assert.deepEqual(listed.toSorted(), known.toSorted());
});
