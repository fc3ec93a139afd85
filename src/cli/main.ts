/** The `lectern` command, behind `bin/lectern.mjs`. */
import { runProgram } from "./program.ts";

const exitCode = await runProgram(process.argv.slice(2), process.env);
// Nothing may hold the process: not a socket, not standard input.
process.exit(exitCode);
