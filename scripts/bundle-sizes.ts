/** What each entry point of the library weighs in a bundle, minified and gzipped, with what it imports: `node scripts/bundle-sizes.ts [NAME...]`. */
import { globSync } from "node:fs";
import { basename, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rollup } from "vite";

const root = resolve(import.meta.dirname, "..");

interface BundleSize {
  readonly minifiedBytes: number;
  readonly gzipBytes: number;
  /** The packages in it. */
  readonly packages: readonly string[];
}

/** Of `src/NAME.ts`, as a web application would contain it. The modules of Node are not counted. */
export async function bundleSize(name: string): Promise<BundleSize> {
  const result = await build({
    configFile: false,
    root,
    logLevel: "silent",
    publicDir: false,
    build: {
      write: false,
      minify: true,
      target: "es2024",
      rolldownOptions: {
        input: resolve(root, "src", `${name}.ts`),
        external: [/^node:/, /\.node$/],
        preserveEntrySignatures: "strict",
      },
    },
  });
  const { output } = (Array.isArray(result) ? result[0] : result) as Rollup.RollupOutput;
  const chunks = output.filter((file) => file.type === "chunk");
  const code = Buffer.from(chunks.map((chunk) => chunk.code).join("\n"));
  const found = chunks.flatMap(({ moduleIds }) =>
    moduleIds.map((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]),
  );
  const packages = [...new Set(found.filter((each) => each !== undefined))].toSorted();
  return { minifiedBytes: code.length, gzipBytes: gzipSync(code, { level: 9 }).length, packages };
}

/** Without those for Node only. */
const entries = (): readonly string[] =>
  globSync("src/*.ts", { cwd: root })
    .map((file) => basename(file, ".ts"))
    .filter((name) => name !== "index" && name !== "trpc")
    .toSorted();

if (import.meta.main) {
  const named = process.argv.slice(2);
  for (const name of named.length === 0 ? entries() : named) {
    const { gzipBytes, minifiedBytes, packages } = await bundleSize(name);
    const sizes = `${(gzipBytes / 1000).toFixed(1).padStart(6)} KB gzipped, ${(minifiedBytes / 1000).toFixed(1).padStart(6)} KB minified`;
    console.log(`lectern/${name.padEnd(7)} ${sizes}  ${packages.join(", ")}`);
  }
}
