/**
 * Assigns deltas to calls.
 *
 * Servers number calls well, badly or not at all. The rules, in this order: a known id wins; a new id at a used index opens another
 * call; without id and index the latest call continues. Slots are in order of first appearance.
 */
import { JsonReader } from "../json/json-reader.ts";
import type { ToolCallKind, ToolSlot } from "./turn.ts";

/** The fields of a chat delta that identify its call. */
export interface CallHint {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: string;
  /** It is not the first call of its list, in which each call occurs once. */
  readonly isFurther?: boolean;
}

export class ToolSlots {
  readonly #all: ToolSlot[] = [];
  readonly #byId = new Map<string, ToolSlot>();
  readonly #byKey = new Map<number | string, ToolSlot | undefined>();
  /** A call that was opened at a used index: the index of its next deltas is not known yet. */
  #displaced: ToolSlot | undefined;
  /** Parsers of the arguments of slots with repeated names, to detect when they are complete. */
  #readers: Map<ToolSlot, JsonReader> | undefined;

  /** The call that the latest delta belonged to. */
  #current: ToolSlot | undefined;

  /**
   * True if a delta was assigned by other signs than its index, the only one that some clients use, or if it continues a call that others
   * have followed: some clients take a call for whole when another begins.
   */
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
    this.#current = slot;
    this.#byId.set(slot.id, slot);
    if (key !== undefined) this.#byKey.set(key, slot);
    return slot;
  }

  /** Adds a key for the call. A key that two calls share identifies neither. */
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

  /** The call that a delta continues; undefined if it starts another one. */
  find(hint: CallHint): ToolSlot | undefined {
    const slot = this.#find(hint);
    if (slot !== undefined && slot !== this.#current) this.ambiguous = true;
    this.#current = slot;
    return slot;
  }

  #find(hint: CallHint): ToolSlot | undefined {
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
    // The call was opened at a used index and continues at the right one.
    this.ambiguous = true;
    this.#byKey.set(index, this.#displaced);
    return this.#displaced;
  }

  /** A call without the provider's id adopts the first one, if it can be its own. */
  #takesId(slot: ToolSlot, hint: CallHint): boolean {
    return slot.idSynthetic && (slot.name === "" || !this.#beginsAgain(slot, hint));
  }

  /**
   * True if a name without an id starts another call: a different name after the arguments began, or the same one in the same list or
   * after complete arguments. A different name before them, at the call's own index and without an id, is a further piece.
   */
  #beginsAgain(slot: ToolSlot, hint: CallHint): boolean {
    if (hint.name === undefined || slot.name === "") return false;
    if (hint.name !== slot.name) {
      const isPiece = hint.id === undefined && hint.index !== undefined && hint.isFurther !== true && slot.text === "";
      return !isPiece;
    }
    return hint.isFurther === true || (hint.text !== "" && this.#isWhole(slot));
  }

  /** Linear over all deltas: each character is parsed once. */
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
