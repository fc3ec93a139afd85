/** The `lectern` command. `bin/lectern.mjs` starts it, and the CLI starts the daemon with it. */
import { homedir } from "node:os";
import { join } from "node:path";

// Before anything large is loaded. Not in the shared temporary directory, where others could put code into it.
const cache = process.env["XDG_CACHE_HOME"] || join(process.env["HOME"] || homedir(), ".cache");
process.getBuiltinModule("node:module").enableCompileCache(join(cache, "lectern"));
const { runProgram } = await import("./program.ts");
const exitCode = await runProgram(process.argv.slice(2), process.env);
// Nothing may hold the process: not a socket, not standard input.
process.exit(exitCode);
