/**
 * The files that a patch of Codex (`apply_patch`) names. Its readers differ in what they take for a header, so a patch is whole only if
 * each line can be read in one way; of any other the names are those that some reader may see.
 */

interface PatchFile {
  readonly kind: "write" | "delete";
  readonly path: string;
}

export interface PatchFiles {
  readonly files: readonly PatchFile[];
  /** No reader sees another file. */
  readonly isWhole: boolean;
}

const header = /^[\s\u00a0]*\*{3}\s*(Add File|Update File|Delete File|Move to|Rename to)\s*:(.*)$/i;
/** A name without white space, which readers would cut. */
const plainHeader = /^\*\*\* (?:Add File|Update File|Delete File|Move to): [!-~]+$/;
/** What cannot be taken for a header: a hunk, a changed line, context. */
const body = /^(?:@@[ -~]*|[+-].*|[ \t]*(?:[!-)+-~].*)?| +\*(?:[!-)+-~ ].*)?)$/s;

/**
 * `patchFiles("*** Begin Patch\n*** Delete File: a.ts\n*** End Patch").files; // [{ kind: "delete", path: "a.ts" }]`
 */
export function patchFiles(patch: string): PatchFiles {
  const lines = patch.split("\n");
  const files = lines.flatMap((line): readonly PatchFile[] => {
    const [, action = "", path = ""] = header.exec(line) ?? [];
    if (action === "") return [];
    return [{ kind: /^delete/i.test(action) ? "delete" : "write", path: path.trim() }];
  });
  const end = lines.at(-1) === "" ? -1 : lines.length;
  const inner = lines.slice(1, end).slice(0, -1);
  const isFramed = lines[0] === "*** Begin Patch" && lines.slice(0, end).at(-1) === "*** End Patch";
  const isRead = inner.every((line) => plainHeader.test(line) || line === "*** End of File" || body.test(line));
  return { files, isWhole: isFramed && isRead && !/[\r\0]/.test(patch) };
}
