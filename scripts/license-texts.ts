/** The licenses of the packages whose code a bundle has. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** `modules`: paths of files in `node_modules`. Throws if a package comes without a license. */
export function licenseTexts(modules: readonly string[]): string {
  const directories = new Set(modules.map(packageDirectory));
  const parts = [...directories].map((directory) => {
    const { name, version, license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as Record<
      string,
      string
    >;
    const [file] = globSync("{LICENSE,LICENCE,license,NOTICE}*", { cwd: directory });
    if (license === undefined) throw new Error(`${directory} states no license`);
    const text =
      file === undefined ? "The package contains no text of it." : readFileSync(join(directory, file), "utf8").trim();
    return `## ${name} ${version}\n\nLicense: ${license}\n\n${text}\n`;
  });
  return `# Licenses of bundled packages\n\nEach package below is part of the files beside this one.\n\n${parts.toSorted().join("\n")}`;
}

function packageDirectory(file: string): string {
  let directory = dirname(file);
  while (!existsSync(join(directory, "package.json")) || !/node_modules\/(?:@[^/]+\/)?[^/@]+$/.test(directory)) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error(`${file} is in no package`);
    directory = parent;
  }
  return directory;
}
