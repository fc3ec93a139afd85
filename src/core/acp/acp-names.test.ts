/** The names against the schema that the protocol publishes, as it is in its development package. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  ACP_VERSION,
  AGENT_METHODS,
  CANCEL_REQUEST,
  CLIENT_METHODS,
  OPTION_KINDS,
  STOP_REASONS,
  TOOL_STATES,
  UPDATE_KINDS,
} from "./acp-names.ts";

type Definition = Readonly<Record<string, unknown>> & { readonly oneOf?: readonly Definition[] };

const file = fileURLToPath(import.meta.resolve("@agentclientprotocol/sdk/schema/v1/schema.json"));
const { $defs } = JSON.parse(readFileSync(file, "utf8")) as { readonly $defs: Readonly<Record<string, Definition>> };

const methods = (side: string): ReadonlySet<unknown> =>
  new Set(Object.values($defs).flatMap((each) => (each["x-side"] === side ? [each["x-method"]] : [])));

/** The constants of a union: of each member, or of the property that tells them apart. */
const constants = (name: string, property?: string): readonly unknown[] =>
  ($defs[name]?.oneOf ?? []).map((each) => {
    const properties = (each["properties"] ?? {}) as Readonly<Record<string, Definition>>;
    return property === undefined ? each["const"] : properties[property]?.["const"];
  });

test("the names are those of the published schema", () => {
  assert.deepEqual(new Set(AGENT_METHODS), methods("agent"));
  assert.deepEqual(new Set(CLIENT_METHODS), methods("client"));
  assert.deepEqual(new Set([CANCEL_REQUEST]), methods("protocol"));
  assert.deepEqual(UPDATE_KINDS, constants("SessionUpdate", "sessionUpdate"));
  assert.deepEqual(STOP_REASONS, constants("StopReason"));
  assert.deepEqual(OPTION_KINDS, constants("PermissionOptionKind"));
  assert.deepEqual(TOOL_STATES, constants("ToolCallStatus"));
  assert.equal(ACP_VERSION, 1);
});
