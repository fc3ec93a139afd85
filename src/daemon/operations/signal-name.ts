import { constants } from "node:os";
import { LecternError } from "../../core/errors.ts";

/** "INT" and "SIGINT" as "SIGINT". Throws `INVALID_INPUT` for a signal that this system does not have. */
export function signalName(given: string): string {
  const name = given.startsWith("SIG") ? given : `SIG${given}`;
  if (Object.hasOwn(constants.signals, name)) return name;
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot send signal "${given}": this system has no such signal; "kill -l" lists them`,
  );
}
