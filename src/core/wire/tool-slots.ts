/**
 * Which call a delta belongs to.
 *
 * Servers number calls well, badly or not at all, so the rules are, in this order: a known id wins; a new id at a used
 * index opens another call; no id and no index continues the latest call. Slots are in order of first appearance.
 */
import { JsonReader } from "../json/json-reader.ts";
import type { ToolCallKind, ToolSlot } from "./turn.ts";

/** What a delta of the chat dialect says of its call. */
export interface CallHint {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
  /** It is not the first call of its list, where a call stands once. */
  readonly isFurther?: boolean;
}

export class ToolSlots {
  readonly #all: ToolSlot[] = [];
  readonly #byId = new Map<string, ToolSlot>();
  readonly #byKey = new Map<number | string, ToolSlot | undefined>();
  /** A call that was opened at an index in use: which index its further deltas have is not known yet. */
  #displaced: ToolSlot | undefined;
  /** How far the arguments of slots with repeated names were read, to see whether they are whole. */
  #readers: Map<ToolSlot, JsonReader> | undefined;

  /** True where a delta was given to a call by other signs than its index, which is the only one that some clients use. */
  ambiguous = false;

  get all(): readonly ToolSlot[] {
    return this.#all;
  }

  get latest(): ToolSlot | undefined {
    return this.#all.at(-1);
  }

  at(key: number | string | undefined): ToolSlot | undefined {
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  withId(id: string | undefined): ToolSlot | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }

  open(key: number | string | undefined, call: { id?: string; name?: string; kind?: ToolCallKind }): ToolSlot {
    const slot: ToolSlot = {
      slot: this.#all.length,
      kind: call.kind ?? "function",
      id: call.id ?? this.#syntheticId(),
      idSynthetic: call.id === undefined,
      name: call.name ?? "",
      text: "",
      started: false,
      ended: false,
      numberIsWhole: false,
    };
    this.#displaced = key !== undefined && this.#byKey.has(key) ? slot : undefined;
    if (key === undefined || this.#displaced !== undefined) this.ambiguous = true;
    this.#all.push(slot);
    this.#byId.set(slot.id, slot);
    if (key !== undefined) this.#byKey.set(key, slot);
    return slot;
  }

  /** Another key under which the call is spoken of. One that two calls share is none. */
  bind(key: string | undefined, slot: ToolSlot): void {
    if (key === undefined) return;
    const isShared = this.#byKey.has(key) && this.#byKey.get(key) !== slot;
    this.#byKey.set(key, isShared ? undefined : slot);
  }

  /** The provider's id for a call that had none. */
  adoptId(slot: ToolSlot, id: string | undefined): void {
    if (id === undefined || !slot.idSynthetic) return;
    this.#byId.delete(slot.id);
    slot.id = id;
    slot.idSynthetic = false;
    this.#byId.set(id, slot);
  }

  /** The call that a delta continues, undefined where it begins another one. */
  find(hint: CallHint): ToolSlot | undefined {
    const known = this.withId(hint.id);
    if (known !== undefined) {
      if (this.at(hint.index) !== known) this.ambiguous = true;
      return known;
    }
    const slot = hint.index === undefined ? this.latest : this.#atIndex(hint.index, hint);
    if (slot === undefined) return undefined;
    const isNew = hint.id === undefined ? this.#beginsAgain(slot, hint) : !this.#takesId(slot, hint);
    return isNew ? undefined : slot;
  }

  #atIndex(index: number, hint: CallHint): ToolSlot | undefined {
    const slot = this.#byKey.get(index);
    if (slot !== undefined) return slot;
    const headless = hint.id === undefined && hint.name === undefined;
    if (!headless || this.#displaced === undefined) return undefined;
    // The head came at an index in use, the tail comes at the right one.
    this.ambiguous = true;
    this.#byKey.set(index, this.#displaced);
    return this.#displaced;
  }

  /** A call without the provider's id takes the first one that comes, if it can be its own. */
  #takesId(slot: ToolSlot, hint: CallHint): boolean {
    return slot.idSynthetic && (slot.name === "" || !this.#beginsAgain(slot, hint));
  }

  /** True where a name without an id is another call's: another name, or the same one in the same list or after whole arguments. */
  #beginsAgain(slot: ToolSlot, hint: CallHint): boolean {
    if (hint.name === undefined || slot.name === "") return false;
    if (hint.name !== slot.name) return true;
    return hint.isFurther === true || (hint.text !== "" && this.#isWhole(slot));
  }

  /** Linear over all deltas: what was read of a slot is not read again. */
  #isWhole(slot: ToolSlot): boolean {
    this.#readers ??= new Map();
    const reader = this.#readers.get(slot) ?? new JsonReader();
    this.#readers.set(slot, reader);
    reader.feed(slot.text.slice(reader.text.length));
    return reader.refusal === null && reader.openPath === null;
  }

  #syntheticId(): string {
    let number = this.#all.length;
    while (this.#byId.has(`call_synthetic_${number}`)) number += 1;
    return `call_synthetic_${number}`;
  }
}
