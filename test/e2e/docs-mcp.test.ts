/** The page on MCP does what it says: its configurations start a server, its dialogue is what a model sees, its program runs. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { blocksOf, root } from "../documents.ts";
import { quote } from "../support/launcher.ts";
import { SharedHome } from "./cli-home.ts";

const shared = new SharedHome();

const page = "docs/mcp.md";
const blocks = blocksOf(page);
const textsOf = (wanted: string): string[] =>
  blocks.filter(({ language }) => language === wanted).map(({ text }) => text);

interface Start {
  readonly command: string;
  readonly args: string[];
}

/** What each host would start, as its configuration has it. */
function startsOf(): Start[] {
  const json = textsOf("json").map(
    (text) => (JSON.parse(text) as { mcpServers: { lectern: Start } }).mcpServers.lectern,
  );
  const [toml = ""] = textsOf("toml");
  const command = /^command = "(.*)"$/m.exec(toml)?.[1] ?? "";
  const args = JSON.parse(/^args = (.*)$/m.exec(toml)?.[1] ?? "") as string[];
  const [shell = ""] = textsOf("sh");
  const [first = "", ...words] = shell.trim().split(" -- ")[1]?.split(" ") ?? [];
  return [...json, { command, args }, { command: first, args: words }];
}

/** Numbers that differ from run to run. */
const settled = (text: string): string =>
  text.replaceAll(/\b(durationMs|offset|next|from):? \d+/g, "$1 N").replaceAll(/"from": \d+/g, '"from": N');

test("the page on MCP does what it says", async (context) => {
  const home = await shared.empty();
  const bin = join(home.directory, "bin");
  mkdirSync(bin);
  // A host passes few variables on: the command itself knows its home here.
  const script = `#!/bin/sh\nLECTERN_HOME=${home.environment["LECTERN_HOME"]} exec ${home.launcherEnvironment.L} "$@"\n`;
  writeFileSync(join(bin, "lectern"), script, { mode: 0o755 });
  const env = { ...home.environment, PATH: `${bin}:${home.environment["PATH"]}` };

  const starts = startsOf();
  assert.equal(starts.length, 4);
  const clients = await Promise.all(
    starts.map(async ({ args, command }) => {
      const client = new Client({ name: "tests", version: "1.0.0" });
      context.after(async () => await client.close());
      await client.connect(new StdioClientTransport({ command, args, env }));
      return client;
    }),
  );
  const [client] = clients;
  assert.ok(client);
  const { tools } = await client.listTools();
  assert.deepEqual(
    rows(),
    tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint === true ? "read" : "write"]),
  );

  const [dialogue = ""] = textsOf("mcp");
  let next = 0;
  for (const part of dialogue.split(/^> /m).slice(1)) {
    const [line = "", ...rest] = part.trimEnd().split("\n");
    const [, name = "", given = ""] = /^(\w+) (.*)$/.exec(line) ?? [];
    const input = JSON.parse(given) as Record<string, unknown>;
    if ("from" in input) input["from"] = next;
    const answer = await client.callTool({ name, arguments: input });
    const data = answer.structuredContent as { next?: number } | undefined;
    next = data?.next ?? next;
    const said = settled((answer.content as { text: string }[])[0]?.text.trimEnd() ?? "");
    const wanted = settled(rest.join("\n"));
    if (wanted === "") assert.equal(answer.isError ?? false, false, said);
    else if (wanted.endsWith("\n...")) assert.ok(said.startsWith(wanted.slice(0, -3)), `${said}\nis not\n${wanted}`);
    else assert.equal(said, wanted, line);
  }

  mkdirSync(join(home.directory, "node_modules"));
  symlinkSync(
    join(root, "node_modules/@modelcontextprotocol"),
    join(home.directory, "node_modules/@modelcontextprotocol"),
  );
  const [program = "", ...more] = textsOf("ts");
  assert.equal(more.length, 0);
  writeFileSync(join(home.directory, "example.mts"), program);
  const result = await home.shell(`${quote(process.execPath)} example.mts`, { PATH: env.PATH });
  assert.equal(result.stdout, "42\n\n", result.stderr);
});

/** Name and scope of each tool in the table of the page. */
const rows = (): [string, string][] =>
  [...readFileSync(join(root, page), "utf8").matchAll(/^\| `(\w+)` +\|.*\| (read|write) +\|$/gm)].map(
    ([, name = "", scope = ""]) => [name, scope],
  );
