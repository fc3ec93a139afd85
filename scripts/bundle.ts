/**
 * Bundles what Lectern runs in its package ([why](../docs/decisions/dependencies.md#one-bundle)): the command with the daemon, the pty host, the
 * threads, and the entry points of the library, with what they use of other packages. A step of `npm run build`. Packages in `dependencies`
 * of package.json stay imports, but for zod: they have binaries, or types that Lectern's own declarations name.
 */
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";
import { rolldown, type Plugin } from "rolldown";
import { licenseTexts } from "./license-texts.ts";

const root = resolve(import.meta.dirname, "..");
const sources = join(root, "src");

/** Each keeps its path, by which the daemon and its threads find it, and is one file: it uses no module that another has loaded. */
const alone = ["host/main", "daemon/store/store-worker", "daemon/audit/audit-worker"];
/** Each keeps its path, too. */
const processes = ["cli/main", "live/view-worker", "daemon/jobs/job-worker"];

interface PackageFile {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as PackageFile;
const kept = new Set([...Object.keys(own.dependencies), ...Object.keys(own.peerDependencies), own.name]);

/** Its 32 files would be loaded by each daemon. */
const bundled = "zod";

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
const isPath = (specifier: string): boolean => /^(?:\.|\0|node:)/.test(specifier) || resolve(specifier) === specifier;

/** Of packages with one form for Node and one for browsers: those that entry points for both use. */
const forBrowsers = { yaml: join(root, "node_modules/yaml/browser/index.js") };

/** A module asks where it is for the sake of files beside the bundle: it gets the place that it would have without one. */
const ownPlaces: Plugin = {
  name: "own-places",
  transform: {
    filter: { id: /\/src\/.*\.ts$/, code: /\bimport\.meta\.(?:url|dirname)\b/ },
    handler(code, id) {
      const file = JSON.stringify(relative(sources, id).split(sep).join("/").replace(/\.ts$/, ".js"));
      const directory = `process.getBuiltinModule("node:url").fileURLToPath(new URL(".", __own(${file})))`;
      const placed = code
        .replaceAll("import.meta.url", `__own(${file}).href`)
        .replaceAll("import.meta.dirname", directory);
      return { code: placed, map: null };
    },
  },
  renderChunk(code, { fileName }) {
    const from = posix.dirname(fileName);
    const placed = code.replaceAll(
      /\b__own\("([^"]+)"\)/g,
      (_, file: string) => `new URL(${JSON.stringify(posix.relative(from, file))}, import.meta.url)`,
    );
    // Packages that are CommonJS use it. Browsers have no such module, and its import takes 10 ms ([why](../docs/decisions/command-line.md)).
    const started = placed
      .replace(
        /^import \{ createRequire \} from "node:module";$/m,
        'const createRequire = (url) => process.getBuiltinModule("node:module").createRequire(url);',
      )
      .replace(
        /var __require = .*createRequire\(import\.meta\.url\)\)\(\);/,
        "var __require = (id) => createRequire(import.meta.url)(id);",
      );
    return { code: started, map: null };
  },
};

/** Half of the size of the source maps, for sources that are not Lectern's. */
const noMapsOfPackages: Plugin = {
  name: "no-maps-of-packages",
  transform: { filter: { id: /\/node_modules\// }, handler: (code) => ({ code, map: { mappings: "" } }) },
};

/** Writes the bundle into a directory, which is `dist` or at the same depth below files that are placed as beside it. */
export async function writeBundle(directory: string): Promise<void> {
  const libraries = globSync("*.ts", { cwd: sources }).map((file) => basename(file, ".ts"));
  const modules = await written(directory, [...processes, ...libraries]);
  for (const name of alone) modules.push(...(await written(directory, [name])));
  const ofPackages = modules.filter((id) => /\/node_modules\//.test(id));
  writeFileSync(join(directory, "LICENSES.md"), licenseTexts([...new Set(ofPackages)]));
}

/** The modules in the files of these. One alone is one file. */
async function written(directory: string, names: readonly string[]): Promise<string[]> {
  const bundle = await rolldown({
    cwd: root,
    platform: "node",
    input: Object.fromEntries(names.map((name) => [name, join(sources, `${name}.ts`)])),
    external: (id) => id.startsWith("node:") || (!isPath(id) && packageOf(id) !== bundled && kept.has(packageOf(id))),
    resolve: { alias: forBrowsers },
    plugins: [ownPlaces, noMapsOfPackages],
  });
  const { output } = await bundle.write({
    dir: directory,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "parts/[name]-[hash].js",
    codeSplitting: names.length > 1,
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await bundle.close();
  return output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
}

/** Declarations that nothing behind the entry points names are of no use to anyone. */
function removeInternalDeclarations(directory: string): void {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, specifier = ""] of text.matchAll(/\b(?:from|import)\s*\(?\s*"([\w@./-]+)"/g)) {
      if (specifier.startsWith(".")) visit(join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")));
      else if (!kept.has(packageOf(specifier)) && !isPath(specifier))
        throw new Error(
          `${relative(root, file)} is public and names "${specifier}": keep it in the dependencies of package.json`,
        );
    }
  };
  for (const entry of Object.values(own.exports)) if (typeof entry === "object") visit(join(root, entry.types));
  for (const file of globSync("**/*.d.ts", { cwd: directory }))
    if (!reached.has(join(directory, file))) rmSync(join(directory, file));
}

if (import.meta.main) {
  const directory = join(root, "dist");
  await writeBundle(directory);
  removeInternalDeclarations(directory);
}
