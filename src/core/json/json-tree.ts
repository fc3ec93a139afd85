/** The value that a JSON reader builds, with the path to the current position. */

type Container = unknown[] | Record<string, unknown>;

/** Grows in place: the root is the live value at any time, and reading it costs nothing. */
export class JsonTree {
  /** The containers around the current one, outermost first. */
  readonly #outer: Container[] = [];
  /** The key in each of `#outer` that leads to the next one; empty for arrays. */
  readonly #outerKeys: string[] = [];
  #current: Container | undefined;
  #root: unknown;
  /** The key of the value that comes next in the current object. */
  key = "";

  get root(): unknown {
    return this.#root;
  }

  get depth(): number {
    return this.#current === undefined ? 0 : this.#outer.length + 1;
  }

  get inObject(): boolean {
    return this.#current !== undefined && !Array.isArray(this.#current);
  }

  /** Adds a value at the place that comes next. */
  put(value: unknown): void {
    const current = this.#current;
    if (current === undefined) this.#root = value;
    else if (Array.isArray(current)) current.push(value);
    else setOwn(current, this.key, value);
  }

  replace(value: unknown): void {
    const current = this.#current;
    if (Array.isArray(current)) current[current.length - 1] = value;
    else this.put(value);
  }

  open(container: Container): void {
    this.put(container);
    if (this.#current !== undefined) {
      this.#outer.push(this.#current);
      this.#outerKeys.push(this.key);
    }
    this.#current = container;
    this.key = "";
  }

  close(): void {
    this.#current = this.#outer.pop();
    this.key = this.#outerKeys.pop() ?? "";
  }

  /** The closing brackets of all open containers, innermost first. */
  closers(): string {
    let text = this.#current === undefined ? "" : closerOf(this.#current);
    for (let index = this.#outer.length - 1; index >= 0; index -= 1) text += closerOf(this.#outer[index] ?? []);
    return text;
  }

  /** JSON Pointer of the current container. */
  containerPath(): string {
    return this.#outer.map((container, index) => segment(container, this.#outerKeys[index] ?? "", -1)).join("");
  }

  /** JSON Pointer of the value that was put last, or with `next` of the one that would be put. */
  valuePath(next: boolean): string {
    if (this.#current === undefined) return "";
    return this.containerPath() + segment(this.#current, this.key, next ? 0 : -1);
  }
}

/** `__proto__` must become a key like others, not the prototype. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else object[key] = value;
}

const closerOf = (container: Container): string => (Array.isArray(container) ? "]" : "}");

function segment(container: Container, key: string, fromEnd: number): string {
  if (Array.isArray(container)) return `/${container.length + fromEnd}`;
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
