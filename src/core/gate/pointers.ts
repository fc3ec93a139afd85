/** JSON Pointers (RFC 6901), extended by the segment `*`: each member or item. */

export interface Leaf {
  /** Its pointer. */
  readonly path: string;
  readonly value: string | number | boolean | null;
}

export interface Selection {
  readonly leaves: readonly Leaf[];
  /** The pointer matches something, even an empty list. */
  readonly found: boolean;
  /** Over the limit: not all leaves are listed. */
  readonly overflow: boolean;
}

const leavesMax = 10_000;
const depthMax = 1_000;

/** The unescaped segments; undefined if the text is not a pointer, which is empty or begins with `/`. */
export function parsePointer(text: string): readonly string[] | undefined {
  if (text === "") return [];
  if (!text.startsWith("/") || /~(?![01])/.test(text)) return undefined;
  return text
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Every string, number, boolean and null at the pointer or below it. Own members only. */
export function selectLeaves(value: unknown, segments: readonly string[]): Selection {
  const targets = segments.reduce<readonly Place[]>(
    (places, segment) => places.flatMap((place) => enter(place, segment)),
    [{ path: "", value }],
  );
  const leaves: Leaf[] = [];
  const overflow = targets.some((target) => !collect(target, leaves, 0));
  return { leaves, found: targets.length > 0, overflow };
}

/** The string at an exact pointer (without `*`), if there is one. */
export function stringAt(value: unknown, segments: readonly string[]): string | undefined {
  const last = segments.reduce<Place | undefined>((place, segment) => place && member(place, segment), {
    path: "",
    value,
  });
  return typeof last?.value === "string" ? last.value : undefined;
}

interface Place {
  readonly path: string;
  readonly value: unknown;
}

const enter = (place: Place, segment: string): readonly Place[] => {
  if (segment === "*") return children(place);
  const found = member(place, segment);
  return found === undefined ? [] : [found];
};

function member(place: Place, key: string): Place | undefined {
  if (typeof place.value !== "object" || place.value === null) return undefined;
  if (Array.isArray(place.value) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined;
  const descriptor = Object.getOwnPropertyDescriptor(place.value, key);
  if (descriptor === undefined) return undefined;
  return { path: `${place.path}/${escapeSegment(key)}`, value: descriptor.value };
}

function children(place: Place): readonly Place[] {
  if (typeof place.value !== "object" || place.value === null) return [];
  return Object.entries(place.value).map(([key, value]) => ({ path: `${place.path}/${escapeSegment(key)}`, value }));
}

const escapeSegment = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

/** False if the limit was reached. */
function collect(place: Place, leaves: Leaf[], depth: number): boolean {
  if (leaves.length >= leavesMax || depth > depthMax) return false;
  const { value } = place;
  if (typeof value === "object" && value !== null)
    return children(place).every((child) => collect(child, leaves, depth + 1));
  if (value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean")
    leaves.push({ path: place.path, value });
  return true;
}
