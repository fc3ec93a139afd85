import { printTable } from "../columns.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { LecternError } from "../../core/errors.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";

const scopes = ["read", "write", "admin"] as const;

export const token = defineCommand({
  name: "token",
  summary: "Create, list and revoke tokens for clients over TCP",
  details: [
    "read: view sessions; write: also type and start programs; admin: also stop the daemon and manage tokens.",
    "A browser that has logged in has a token whose label is its device: revoke it to log out a lost phone.",
    "LAST USED may be up to an hour before the last use.",
  ],
  arguments: [
    { name: "action", summary: "One of", choices: ["create", "ls", "revoke"] },
    { name: "ids", summary: "Tokens to revoke", count: "any" },
  ],
  options: {
    scope: { type: "text", placeholder: "SCOPE", choices: scopes, summary: "Default: read" },
    session: { type: "text", placeholder: "SESSION", completes: "session", summary: "Limit to this session" },
    label: { type: "text", placeholder: "TEXT", summary: "Description shown by token ls" },
    expires: { type: "duration", placeholder: "TIME", summary: "Lifetime, such as 30d; default: unlimited" },
    json: jsonOption,
  },
  examples: ["lectern token create --scope write --label ci", "lectern token ls", "lectern token revoke 5f1c"],
  async run({ arguments: { action, ids }, options }, context) {
    if (action === "revoke") return revoke(ids, context);
    if (ids[0] !== undefined)
      throw new LecternError("USAGE", `Unexpected argument "${ids[0]}" of "lectern token ${action}"`);
    if (action === "ls") return list(options.json, context);
    const { expires } = options;
    const made = await context.call("tokens.create", {
      scope: scopes.find((scope) => scope === options.scope),
      session: options.session,
      label: options.label,
      expiresInSeconds: expires === undefined ? undefined : Math.ceil(expires / 1000),
    });
    await context.print(options.json ? JSON.stringify(made) : made.token);
    if (!options.json) context.note(`Token ${made.id}; its text is not shown again`);
  },
});

async function list(json: boolean, context: CliContext): Promise<void> {
  const { tokens } = await context.call("tokens.list", {});
  if (json) return await context.print(JSON.stringify({ tokens }));
  const rows = tokens.map((row) => [
    row.id,
    row.scope,
    row.session ?? "all",
    row.lastUsedAt ?? "never",
    row.expiresAt ?? "never",
    escapeForDisplay(row.label),
  ]);
  await printTable([["ID", "SCOPE", "SESSION", "LAST USED", "EXPIRES", "LABEL"], ...rows], context);
}

async function revoke(ids: readonly string[], context: CliContext): Promise<void> {
  if (ids.length === 0) throw new LecternError("USAGE", 'Missing argument IDS; see "lectern token ls"');
  for (const id of ids) {
    const revoked = await context.call("tokens.revoke", { token: id });
    await context.print(revoked.id);
  }
}
