/**
 * The last step of `npm run build`: puts what the sources use of other packages into `dist/vendor`, so that an installation is small and has
 * few packages ([numbers](../docs/decisions/dependencies.md#bundled-dependencies)). Packages in `dependencies` of package.json stay imports:
 * they have binaries or types that Lectern's own declarations name. The files of Lectern stay one by one, as `tsc` wrote them.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve } from "node:path";
import { rolldown, type OutputChunk } from "rolldown";
import { parseAst } from "rolldown/parseAst";
import { licenseTexts } from "./license-texts.ts";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const vendor = join(dist, "vendor");

interface PackageFile {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

const own = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as PackageFile;
const kept = new Set([...Object.keys(own.dependencies), ...Object.keys(own.peerDependencies), own.name]);

/** One `"specifier"` of an import or export, quotes included, by its place in the text. */
interface Reference {
  readonly specifier: string;
  readonly start: number;
  readonly end: number;
  readonly names: readonly string[];
}

/** What is read of a syntax tree. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly value: unknown;
  readonly source?: SyntaxNode | null;
  readonly id: SyntaxNode;
  readonly init?: SyntaxNode | null;
  readonly argument?: SyntaxNode | null;
  readonly key: SyntaxNode;
  readonly local: SyntaxNode;
  readonly imported?: SyntaxNode;
  readonly specifiers?: readonly SyntaxNode[];
  readonly properties?: readonly SyntaxNode[];
}

const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
const isBundled = (specifier: string): boolean =>
  !/^(?:\.|\/|node:|#)/.test(specifier) && !kept.has(packageOf(specifier));

/** Throws for an import whose names do not stand beside it, of which everything would have to be bundled. */
function referencesIn(code: string): Reference[] {
  const found: Reference[] = [];
  const named = new Map<unknown, readonly string[]>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    const { type, source, specifiers, id, init } = node as SyntaxNode;
    if (type === "VariableDeclarator" && init?.type === "AwaitExpression" && id.type === "ObjectPattern") {
      named.set(
        init.argument,
        id.properties?.flatMap(({ type: kind, key }) => (kind === "Property" ? [key.name] : [])) ?? [],
      );
    }
    if (/^(?:Import|Export)/.test(type) && typeof source?.value === "string" && isBundled(source.value)) {
      const names = named.get(node) ?? specifiers?.map(nameOf);
      if (names === undefined) throw new Error(`Write "const { NAME } = await import" for "${source.value}"`);
      found.push({ specifier: source.value, start: source.start, end: source.end, names });
    }
    Object.values(node).forEach(visit);
  };
  visit(parseAst(code));
  return found;
}

function nameOf({ type, imported, local }: SyntaxNode): string {
  if (type === "ImportNamespaceSpecifier") throw new Error(`Import the used names instead of "* as ${local.name}"`);
  return type === "ImportDefaultSpecifier" ? "default" : (imported ?? local).name;
}

const fileNameOf = (specifier: string): string => specifier.replace(/^@/, "").replaceAll("/", "-");

/** Packages of one publisher share code; those of different ones are bundled apart, so that a page that imports one gets no module of Node. */
const groupOf = (specifier: string): string =>
  (specifier.startsWith("@") ? specifier.split("/", 1)[0] : packageOf(specifier)) ?? specifier;

/** Of packages with one form for Node and one for browsers: those that entry points for both use. */
const forBrowsers: ReadonlySet<string> = new Set(["yaml"]);

/** The names that are used of each specifier. */
type Wanted = Map<string, Set<string>>;

async function bundleGroup(group: string, wanted: Wanted): Promise<OutputChunk[]> {
  const prefix = "\0entry:";
  const bundle = await rolldown({
    cwd: root,
    platform: forBrowsers.has(group) ? "browser" : "node",
    input: Object.fromEntries([...wanted.keys()].map((specifier) => [fileNameOf(specifier), prefix + specifier])),
    external: (id) => id.startsWith("node:") || kept.has(packageOf(id)),
    plugins: [
      {
        name: "used-names",
        resolveId: (id) => (id.startsWith(prefix) ? id : undefined),
        load: (id) => {
          if (!id.startsWith(prefix)) return undefined;
          const specifier = id.slice(prefix.length);
          const names = [...(wanted.get(specifier) ?? [])].toSorted();
          return `export { ${names.join(", ")} } from ${JSON.stringify(specifier)};`;
        },
      },
    ],
  });
  const { output } = await bundle.write({
    dir: vendor,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: `${fileNameOf(group)}-[name].js`,
    comments: { legal: true, annotation: false, jsdoc: false },
  });
  await bundle.close();
  return output.filter((file) => file.type === "chunk");
}

/** `import "node:module"` reads all that it exports, 10 ms ([why](../docs/decisions/command-line.md)). */
const withoutModuleImport = (code: string): string =>
  code.replace(
    /^import \{ createRequire \} from "node:module";$/m,
    'const { createRequire } = process.getBuiltinModule("node:module");',
  );

/** Declarations that nothing behind the entry points names are of no use to anyone. */
function removeInternalDeclarations(): void {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, specifier = ""] of text.matchAll(/\b(?:from|import)\s*\(?\s*"([\w@./-]+)"/g)) {
      if (specifier.startsWith(".")) visit(join(dirname(file), specifier.replace(/\.[jt]s$/, ".d.ts")));
      else if (isBundled(specifier)) {
        throw new Error(
          `${relative(root, file)} is public and names "${specifier}": keep it in the dependencies of package.json`,
        );
      }
    }
  };
  for (const entry of Object.values(own.exports)) if (typeof entry === "object") visit(join(root, entry.types));
  for (const file of globSync("**/*.d.ts", { cwd: dist })) if (!reached.has(join(dist, file))) rmSync(join(dist, file));
}

const scripts = globSync("**/*.js", { cwd: dist, exclude: ["ui/**", "vendor/**"] });
const codes = new Map(scripts.map((script) => [script, readFileSync(join(dist, script), "utf8")]));
const groups = new Map<string, Wanted>();
for (const code of codes.values()) {
  for (const { specifier, names } of referencesIn(code)) {
    const wanted: Wanted = groups.get(groupOf(specifier)) ?? new Map();
    groups.set(groupOf(specifier), wanted);
    wanted.set(specifier, new Set([...(wanted.get(specifier) ?? []), ...names]));
  }
}

rmSync(vendor, { recursive: true, force: true });
mkdirSync(vendor, { recursive: true });
const modules: string[] = [];
for (const [group, wanted] of groups) {
  for (const { fileName, code, moduleIds } of await bundleGroup(group, wanted)) {
    writeFileSync(join(vendor, fileName), withoutModuleImport(code));
    modules.push(...moduleIds.filter((id) => existsSync(id)));
  }
}
for (const [script, code] of codes) {
  let changed = code;
  for (const { specifier, start, end } of referencesIn(code).toSorted((one, other) => other.start - one.start)) {
    const target = posix.relative(posix.dirname(script), `vendor/${fileNameOf(specifier)}.js`);
    changed = `${changed.slice(0, start)}${JSON.stringify(target.startsWith(".") ? target : `./${target}`)}${changed.slice(end)}`;
  }
  if (changed !== code) writeFileSync(join(dist, script), changed);
}
removeInternalDeclarations();
writeFileSync(join(vendor, "LICENSES.md"), licenseTexts(modules));
