#!/usr/bin/env node
/** The `lectern` command. */
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

// Before anything large is loaded. Not in the shared temporary directory, where others could put code into it.
enableCompileCache(join(process.env["XDG_CACHE_HOME"] || join(process.env["HOME"] || homedir(), ".cache"), "lectern"));
const { runProgram } = await import("./program.ts");
// Nothing may hold the process: not a socket, not standard input.
process.exit(await runProgram(process.argv.slice(2), process.env));
