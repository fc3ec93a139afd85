#!/usr/bin/env node
// The `lectern` command, from the sources where they are (a checkout), else as it was built (the package).
// Plain JavaScript: to strip types, Node loads a compiler, which takes longer than `lectern ls`; with the cache on before
// the first typed file is loaded, it is not needed again.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const NODE_MAJOR_MIN = 24;

const other = ["bun", "deno"].find((name) => process.versions[name] !== undefined);
if (other !== undefined) refuse(other);
else if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) await runWithPinnedNode();
else await run();

async function run() {
  // Not in the shared temporary directory, where others could put code into it.
  const cache = process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), ".cache");
  // `import` of this one would read all that it exports, 10 ms.
  const { enableCompileCache, registerHooks } = process.getBuiltinModule("node:module");
  enableCompileCache(join(cache, "lectern"));
  const isCheckout = existsSync(new URL("../src/cli/main.ts", import.meta.url));
  // Stack traces name the sources of the bundle. Node reads a map when it makes a stack trace of its file, so a start takes no longer.
  process.setSourceMapsEnabled(!isCheckout);
  const own = new URL(isCheckout ? "../src/" : "../dist/", import.meta.url).href;
  const format = isCheckout ? "module-typescript" : "module";
  // Where one of our files is, and what it is, need not be asked of the file system: a sixth of the time of a start.
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      // What zod says in 60 other languages: half of its files, and nobody asks for them.
      if (specifier === "../locales/index.js" && parentURL?.includes("/node_modules/zod/v4/"))
        return { url: "data:text/javascript,", format: "module", shortCircuit: true };
      if (!specifier.startsWith(".") || !parentURL?.startsWith(own)) return next(specifier, context);
      return { url: new URL(specifier, parentURL).href, format, shortCircuit: true };
    },
  });
  await import(isCheckout ? `${own}cli/main.ts` : `${own}cli/main.js`);
}

/** Its terminals need Node; `src/pty/needs-node.ts` is the same for the libraries. */
function refuse(runtime) {
  const name = runtime === "bun" ? "Bun" : "Deno";
  console.error(
    `lectern: Cannot run on ${name} ${process.versions[runtime]}: Node ${NODE_MAJOR_MIN} or later is needed; ` +
      'run it with "node", and use "lectern/client" in programs on this runtime',
  );
  process.exit(1);
}

/** An older Node on the PATH: a checkout has a newer one among its development dependencies. */
async function runWithPinnedNode() {
  const pinned = fileURLToPath(new URL("../node_modules/.bin/node", import.meta.url));
  if (!existsSync(pinned)) {
    console.error(
      `lectern: Node ${NODE_MAJOR_MIN} or later is needed, this is ${process.versions.node}; install a newer one`,
    );
    process.exit(1);
  }
  const { spawn } = await import("node:child_process");
  const child = spawn(pinned, process.argv.slice(1), { stdio: "inherit" });
  // What a terminal sends goes to both; what is sent to this process alone has to be handed on.
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  for (const name of ["SIGINT", "SIGHUP"]) {
    process.on(name, () => {
      if (!process.stdin.isTTY) child.kill(name);
    });
  }
  child.on("exit", (status, signal) => {
    for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.removeAllListeners(name);
    if (signal !== null) process.kill(process.pid, signal);
    else process.exit(status ?? 1);
  });
}
