/** Prints the versions of program, protocol and Node. */
import { defineCommand, jsonOption } from "../command.ts";
import { PROTOCOL_VERSION } from "../../protocol/routes.ts";
import { buildVersion } from "../../daemon/version.ts";

export const version = defineCommand({
  name: "version",
  summary: "Print the version of this program",
  arguments: [],
  options: { json: jsonOption },
  examples: ["lectern version", "lectern version --json"],
  async run({ options }, context) {
    const facts = { version: buildVersion(), protocolVersion: PROTOCOL_VERSION, node: process.version };
    await context.print(options.json ? JSON.stringify(facts) : `lectern ${facts.version}`);
  },
});
