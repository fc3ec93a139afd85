/**
 * Builds the web page of `src/ui` into `dist/ui`.
 *
 *   --if-stale   only if something that it is made of has changed since
 *   --optional   a failure is reported and is no failure: all but the page works without it
 */
import { createHash } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isHashedPath } from "../src/protocol/page-paths.ts";
import { fingerprintOf, isFresh } from "./fingerprint.ts";

const root = resolve(import.meta.dirname, "..");
const sources = join(root, "src/ui");
const target = join(root, "dist/ui");
const fingerprintFile = join(target, "sources.sha256");

/** What the page is made of. */
const inputs = ["src/{ui,client,protocol,core}/**/*", "scripts/build-ui.ts"];

async function buildPage(): Promise<void> {
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: sources,
    logLevel: "warn",
    publicDir: join(sources, "public"),
    build: {
      outDir: target,
      emptyOutDir: true,
      license: { fileName: "LICENSES.md" },
      target: "es2024",
      // A file of its own for each font and picture: the policy of the page allows no data in styles.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        checks: { pluginTimings: false },
        input: { main: join(sources, "index.html") },
      },
    },
  });
}

interface Alone {
  readonly entry: string;
  readonly outDir: string;
  readonly name: string;
  /** Without its ending; its style has the same. */
  readonly fileName: string;
  /** Constants of its source. */
  readonly define?: Readonly<Record<string, string>>;
}

/** One file of script that imports nothing, and one of style if there is any. */
async function buildAlone({ define = {}, entry, fileName, name, outDir }: Alone): Promise<void> {
  const { build } = await import("vite");
  await build({
    configFile: false,
    root: sources,
    logLevel: "warn",
    publicDir: false,
    define,
    build: {
      outDir,
      emptyOutDir: false,
      target: "es2024",
      rolldownOptions: { checks: { pluginTimings: false } },
      lib: {
        entry: join(sources, entry),
        formats: ["iife"],
        name,
        fileName: () => `${fileName}.js`,
        cssFileName: fileName,
      },
    },
  });
}

/** The page puts it into the file of a saved recording. */
const player: Alone = {
  entry: "standalone/player.ts",
  outDir: join(target, "assets"),
  name: "LecternPlayer",
  fileName: "player",
};

/** Not a module: some browsers have no service workers that are. */
const serviceWorker = (): Alone => ({
  entry: "worker/service-worker.ts",
  outDir: target,
  name: "LecternWorker",
  fileName: "service-worker",
  define: { PAGE_BUILD: JSON.stringify(pageBuild()) },
});

/** The code and the styles that the built page loads; fonts are cached when they are used. */
function pageBuild(): { readonly id: string; readonly files: readonly string[] } {
  const names = readdirSync(join(target, "assets")).toSorted();
  const files = names.map((name) => `/assets/${name}`).filter((path) => isHashedPath(path) && !path.endsWith(".woff2"));
  return { id: createHash("sha256").update(files.join("\n")).digest("hex").slice(0, 16), files };
}

const wanted = fingerprintOf(inputs);
if (!process.argv.includes("--if-stale") || !isFresh(fingerprintFile, wanted)) {
  const start = performance.now();
  console.log("Building the web page");
  try {
    await buildPage();
    await buildAlone(player);
    await buildAlone(serviceWorker());
    writeFileSync(fingerprintFile, wanted);
    console.log(`Built the web page in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  } catch (error) {
    if (!process.argv.includes("--optional")) throw error;
    console.error(`The web page could not be built, all else works: ${String(error)}`);
  }
}
