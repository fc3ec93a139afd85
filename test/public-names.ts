/** The public names of the package: what its entry points export, in the lists that `tidy.test.ts` holds them to. */
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { root } from "./documents.ts";

export interface PublicName {
  /** `lectern`, `lectern/client`, ... */
  readonly entry: string;
  readonly name: string;
  /** Its name where it is declared. */
  readonly declared: string;
  readonly isType: boolean;
  /** The file of its declaration. */
  readonly file: string;
}

export const publicNames: readonly PublicName[] = globSync("src/*.ts", { cwd: root })
  .toSorted()
  .flatMap((file) => {
    const part = basename(file, ".ts");
    const entry = part === "index" ? "lectern" : `lectern/${part}`;
    return namesIn(readFileSync(join(root, file), "utf8")).map((name) => ({ entry, ...name }));
  });

function namesIn(source: string): Omit<PublicName, "entry">[] {
  const lists = source.matchAll(/export (type )?\{([^}]*)\} from "\.\/([^"]+)"/g);
  return [...lists].flatMap(([, type, list = "", from]) =>
    [...list.matchAll(/(type )?(\w+)(?: as (\w+))?/g)].map(([, own, declared = "", name = declared]) => ({
      name,
      declared,
      isType: (type ?? own) !== undefined,
      file: `src/${from}`,
    })),
  );
}

/** The pattern of the declaration of a name that a file exports. */
export const declaration = (name: string): string =>
  `export (?:declare |abstract |async )*(?:const|function\\*?|class|interface|type) ${name}\\b`;

/** The comment in front of the declaration of a name; undefined if there is none. */
export function docstringOf({ file, declared }: PublicName): string | undefined {
  const source = readFileSync(join(root, file), "utf8");
  return new RegExp(`/\\*\\*((?:[^*]|\\*(?!/))*)\\*/\n${declaration(declared)}`).exec(source)?.[1];
}
