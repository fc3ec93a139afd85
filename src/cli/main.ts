/** The `lectern` command, behind `bin/lectern.mjs`. */
import { endProcess } from "./end-process.ts";
import { runProgram } from "./program.ts";

const exitCode = await runProgram(process.argv.slice(2), process.env);
// Open sockets and standard input must not keep the process running.
endProcess(exitCode);
