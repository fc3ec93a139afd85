/** The `lectern` command, behind `bin/lectern.mjs`. */
import { runProgram } from "./program.ts";

const exitCode = await runProgram(process.argv.slice(2), process.env);
// Open sockets and standard input must not keep the process running.
process.exit(exitCode);
