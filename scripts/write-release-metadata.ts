/**
 * Writes what depends on where the repository is published: `repository`, `homepage`, `bugs` and `mcpName` of package.json, and `server.json`
 * for the MCP registry. `node scripts/write-release-metadata.ts OWNER/NAME [DIRECTORY]`, run by the workflow that publishes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const [repository = "", directory = resolve(import.meta.dirname, "..")] = process.argv.slice(2);
const [, owner] = /^([\w.-]+)\/[\w.-]+$/.exec(repository) ?? [];
if (owner === undefined) throw new Error(`Cannot read repository "${repository}": wanted OWNER/NAME`);

const url = `https://github.com/${repository}`;
const mcpName = `io.github.${owner}/lectern`;
const packageFile = join(directory, "package.json");
const found = JSON.parse(readFileSync(packageFile, "utf8")) as Readonly<Record<string, unknown>>;
const links = { repository: { type: "git", url: `git+${url}.git` }, homepage: `${url}#readme`, bugs: `${url}/issues` };
writeFileSync(packageFile, `${JSON.stringify({ ...found, ...links, mcpName }, null, 2)}\n`);

const server = {
  $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  name: mcpName,
  title: "Lectern",
  description: "Persistent terminals for agents: shells, REPLs, builds and other agents, recorded and shared",
  repository: { url, source: "github" },
  version: found["version"],
  packages: [
    {
      registryType: "npm",
      identifier: found["name"],
      version: found["version"],
      transport: { type: "stdio" },
      packageArguments: [{ type: "positional", value: "mcp" }],
    },
  ],
};
writeFileSync(join(directory, "server.json"), `${JSON.stringify(server, null, 2)}\n`);
