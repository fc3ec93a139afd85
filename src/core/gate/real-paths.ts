/**
 * The files behind the paths of a call. The gate reads paths as text; a caller that has a file system gives it a view of that, and then
 * a rule is about the file that the kernel would open as well as about its name.
 */
import { isAtOrBelow } from "../sandbox/plan.ts";
import { certain, type Certainty } from "./certainty.ts";
import { absolutePath, normalizePath, resolvePath, type PathContext } from "./paths.ts";

/** What a file system says during one decision. All paths are absolute. Undefined: unknown, or over a limit of the view. */
export interface FileView {
  /** The path without links, `..` read as the kernel does: after the links before it. What does not exist stays as it is. */
  readonly realPath: (path: string) => string | undefined;
  /** The names of what a pattern expands to, without following links at their ends. */
  readonly matches: (pattern: string) => readonly string[] | undefined;
  /** The real paths of what a pattern expands to (`*`: text without a slash), as far as links lead to it. */
  readonly linkedMatches: (pattern: string) => readonly string[] | undefined;
  /** Everything below a folder, without following links; empty for what is not a folder. */
  readonly entriesBelow: (folder: string) => readonly string[] | undefined;
  /** Where the links below a folder lead, and those below their targets. */
  readonly linksBelow: (folder: string) => readonly string[] | undefined;
}

const PATH_CHARS_MAX = 4_096;

/** Real paths in the words of the session: what is below its directories, which may be reached by links, has their names. */
export class RealPaths {
  readonly #view: FileView;
  readonly #session: PathContext;
  readonly #named: readonly (readonly [real: string, name: string])[];
  readonly #entries = new Map<string, readonly string[] | undefined>();
  #note: string | undefined;

  constructor(view: FileView, session: PathContext) {
    this.#view = view;
    this.#session = session;
    this.#named = [session.workingDirectory, session.home].flatMap((name) => {
      const real = name === null ? undefined : view.realPath(name);
      return name === null || real === undefined || real === "/" ? [] : [[real, normalizePath(name)] as const];
    });
  }

  /** What a link did since the last time, for people. */
  takeNote(): string | undefined {
    const note = this.#note;
    this.#note = undefined;
    return note;
  }

  /** Undefined: unknown. Empty: as the text says, without links. */
  behind(text: string, start: PathContext, isPattern: boolean): readonly string[] | undefined {
    if (text.length > PATH_CHARS_MAX) return [];
    const plain = resolvePath(text, start);
    const path = this.#absolute(text, start);
    if (plain === undefined || path === undefined) return undefined;
    const real = isPattern ? this.#view.linkedMatches(path) : this.#realPath(path);
    return this.#noted(text, real, plain);
  }

  /** What a pattern expands to. Undefined: unknown. */
  matches(text: string, start: PathContext): readonly string[] | undefined {
    const path = this.#absolute(text, start);
    return path === undefined || path.length > PATH_CHARS_MAX ? undefined : this.#view.matches(path);
  }

  /** Undefined: unknown. */
  isThere(text: string, start: PathContext): boolean | undefined {
    const found = this.matches(text, start);
    return found === undefined ? undefined : found.length > 0;
  }

  /** Surely no link, and no folder with links. */
  isWithoutLinks(text: string, start: PathContext): boolean {
    const path = this.#absolute(text, start);
    if (path === undefined || path.length > PATH_CHARS_MAX) return false;
    if (path.includes("*")) return this.#view.linkedMatches(path)?.length === 0;
    const real = this.#view.realPath(path);
    return (
      real !== undefined && this.#name(real) === resolvePath(text, start) && this.#view.linksBelow(path)?.length === 0
    );
  }

  /** What a program reaches that walks the folder and follows links. Undefined: unknown. */
  behindLinksBelow(text: string, start: PathContext): readonly string[] | undefined {
    const path = this.#absolute(text, start);
    return path === undefined ? undefined : this.#noted(text, this.#view.linksBelow(path), undefined);
  }

  /** The paths below a folder, which is an absolute path. Each rule asks for them again. Undefined: unknown. */
  entriesBelow(folder: string): readonly string[] | undefined {
    if (!this.#entries.has(folder))
      this.#entries.set(
        folder,
        this.#view.entriesBelow(folder)?.map((path) => this.#name(path)),
      );
    return this.#entries.get(folder);
  }

  /** Is a real path the folder, or below it? The folder is a root in a rule. */
  isBelow(path: string, root: string): Certainty {
    const folder = resolvePath(root, this.#session);
    if (folder === undefined) return "maybe";
    return certain(isAtOrBelow(path, folder) || isAtOrBelow(path, this.#name(this.#view.realPath(folder) ?? folder)));
  }

  /** From the session's directory, if it is below. */
  fromHere(path: string): string {
    const start = `${normalizePath(this.#session.workingDirectory ?? "/")}/`;
    return path.startsWith(start) ? path.slice(start.length) : path;
  }

  #realPath(path: string): readonly string[] | undefined {
    const real = this.#view.realPath(path);
    return real === undefined ? undefined : [real];
  }

  /** Before links are followed; links of the kernel in `/proc` are text. */
  #absolute(text: string, start: PathContext): string | undefined {
    const path = absolutePath(text, start);
    const plain = resolvePath(text, start);
    if (path === undefined || plain === undefined || plain === normalizePath(path)) return path;
    return /\/\.\.(?:\/|$)/.test(path) ? undefined : plain;
  }

  #noted(text: string, real: readonly string[] | undefined, plain: string | undefined): readonly string[] | undefined {
    const found = real?.map((path) => this.#name(path)).filter((path) => path !== plain);
    const { workingDirectory } = this.#session;
    const outside = found?.find((path) => workingDirectory === null || !isAtOrBelow(path, workingDirectory));
    const first = outside ?? found?.[0];
    if (found === undefined) this.#note ??= `the links in or below ${text} are too many to follow`;
    else if (first !== undefined) this.#note ??= `a link in or below ${text} leads to ${first}`;
    return found;
  }

  #name(path: string): string {
    for (const [real, name] of this.#named)
      if (isAtOrBelow(path, real)) return `${name}${path.slice(real.length)}` || "/";
    return path;
  }
}
