#!/usr/bin/env node
// The `lectern` command, from the sources where they are (a checkout), else as it was built (the package).
// Plain JavaScript: to strip types, Node loads a compiler, which takes longer than `lectern ls`; with the cache on before
// the first typed file is loaded, it is not needed again.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

// Not in the shared temporary directory, where others could put code into it. The same as in src/cli/main.ts.
const cache = process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), ".cache");
// `import` of this one would read all that it exports, 10 ms.
process.getBuiltinModule("node:module").enableCompileCache(join(cache, "lectern"));
const source = new URL("../src/cli/main.ts", import.meta.url);
await import(existsSync(source) ? source.href : new URL("../dist/cli/main.js", import.meta.url).href);
