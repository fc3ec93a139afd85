/**
 * Where a reference in a schema leads: to a part of the same document, by `$id`, `$anchor` or JSON Pointer. Nothing is ever fetched.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-8
 */
import { isObject, type SchemaObject } from "./schema-run.ts";

/** Keywords whose value is data, in which nothing is a schema. */
const dataKeywords: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "required"]);
/** Keywords whose value maps names to schemas: the names in it are not keywords. */
const mapKeywords: ReadonlySet<string> = new Set(
  "properties patternProperties $defs definitions dependentSchemas dependencies".split(" "),
);
const depthMax = 100;
const anchorName = /^[A-Za-z_][-A-Za-z0-9._]*$/;

interface Place {
  readonly base: string;
  readonly depth: number;
  readonly isMap: boolean;
}

export class SchemaReferences {
  /** The base URI of each schema that is not data. */
  readonly #bases = new Map<object, string>();
  /** Schemas by `$id`, and by `$id#anchor`. */
  readonly #named = new Map<string, SchemaObject>();
  #resources = 1;

  /** Throws an `Error` if the schema is too deep, or a name occurs twice. */
  constructor(root: SchemaObject) {
    const base = typeof root["$id"] === "string" ? withoutFragment(root["$id"]) : "";
    this.#named.set(base, root);
    this.#walk(root, { base, depth: 0, isMap: false }, true);
  }

  /** True if one document holds several schemas with a name of their own. */
  get hasEmbedded(): boolean {
    return this.#resources > 1;
  }

  /** The schema that a reference in `from` means. Throws an `Error` if there is none. */
  find(from: SchemaObject, reference: string): SchemaObject | boolean {
    const uri = resolveUri(this.#bases.get(from) ?? "", reference);
    const [base = "", fragment = ""] = splitOnce(uri, "#");
    const found = fragment === "" ? this.#named.get(base) : (this.#named.get(uri) ?? this.#at(base, fragment));
    if (found === undefined) throw new Error(`can't resolve reference ${reference}`);
    return found;
  }

  #at(base: string, fragment: string): SchemaObject | boolean | undefined {
    if (!fragment.startsWith("/")) return undefined;
    let node: unknown = this.#named.get(base);
    for (const segment of fragment.slice(1).split("/")) {
      const key = decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof node !== "object" || node === null || !Object.hasOwn(node, key)) return undefined;
      node = (node as SchemaObject)[key];
    }
    if (typeof node === "boolean") return node;
    return isObject(node) && this.#bases.has(node) ? node : undefined;
  }

  #walk(node: unknown, { base, depth, isMap }: Place, isRoot = false): void {
    if (typeof node !== "object" || node === null) return;
    if (depth > depthMax) throw new RangeError(`it is deeper than ${depthMax} levels`);
    if (Array.isArray(node)) return node.forEach((item) => this.#walk(item, { base, depth: depth + 1, isMap: false }));
    const schema = node as SchemaObject;
    const own = isMap || isRoot ? base : this.#baseOf(schema, base);
    this.#bases.set(schema, own);
    if (!isMap) for (const keyword of ["$anchor", "$dynamicAnchor"]) this.#nameAnchor(schema, own, keyword);
    for (const [key, value] of Object.entries(schema)) {
      if (!isMap && dataKeywords.has(key)) continue;
      this.#walk(value, { base: own, depth: depth + 1, isMap: !isMap && mapKeywords.has(key) });
    }
  }

  #baseOf(schema: SchemaObject, base: string): string {
    const { $id: id } = schema;
    if (typeof id !== "string") return base;
    const uri = resolveUri(base, id);
    // In draft-07 an `$id` that is only a fragment is an anchor.
    if (id.startsWith("#")) {
      this.#name(uri.replace(/#$/, ""), schema);
      return base;
    }
    this.#resources += 1;
    this.#name(withoutFragment(uri), schema);
    return withoutFragment(uri);
  }

  #nameAnchor(schema: SchemaObject, base: string, keyword: string): void {
    const anchor = schema[keyword];
    if (typeof anchor !== "string") return;
    if (!anchorName.test(anchor)) throw new Error(`invalid anchor "${anchor}"`);
    this.#name(`${base}#${anchor}`, schema);
  }

  #name(uri: string, schema: SchemaObject): void {
    const known = this.#named.get(uri);
    if (known !== undefined && known !== schema) throw new Error(`reference "${uri}" resolves to more than one schema`);
    this.#named.set(uri, schema);
  }
}

const withoutFragment = (uri: string): string => splitOnce(uri, "#")[0] ?? "";

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** RFC 3986, section 5.2, as far as names of schemas go: without queries of the base. */
function resolveUri(base: string, reference: string): string {
  if (reference.startsWith("#")) return reference === "#" ? base : base + reference;
  if (/^[A-Za-z][-+.A-Za-z0-9]*:/.test(reference)) return reference.replace(/#$/, "");
  const [, scheme = "", authority = "", path = ""] = /^([^/?#]+:)?(\/\/[^/?#]*)?([^?#]*)/.exec(base) ?? [];
  if (reference.startsWith("//")) return scheme + reference;
  const [, target = "", rest = ""] = /^([^?#]*)([^]*)$/.exec(reference) ?? [];
  const folder = authority !== "" && path === "" ? "/" : path.slice(0, path.lastIndexOf("/") + 1);
  const whole = target.startsWith("/") ? target : target === "" ? path : folder + target;
  return scheme + authority + withoutDots(whole) + rest.replace(/#$/, "");
}

function withoutDots(path: string): string {
  const segments: string[] = [];
  const parts = path.split("/");
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (part === "..") segments.splice(Math.max(1, segments.length - 1));
    else if (part !== ".") segments.push(part);
    if (isLast && (part === ".." || part === ".")) segments.push("");
  }
  return segments.join("/");
}
