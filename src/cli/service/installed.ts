/** What is installed as a service of the user, and what would be from this shell. */
import { resolve } from "node:path";
import type { CliContext } from "../context.ts";
import type { ServiceFacts } from "./unit.ts";

const launcher = resolve(import.meta.dirname, "../../../bin/lectern.mjs");
/** Where the data directory and the agents are. */
const KEPT_VARIABLES = ["LECTERN_HOME", "XDG_DATA_HOME", "PATH"];

export const factsOf = ({ environment }: Pick<CliContext, "environment">): ServiceFacts => ({
  node: process.execPath,
  launcher,
  environment: Object.fromEntries(
    KEPT_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === "" ? [] : [[name, value] as const];
    }),
  ),
});
