/** The open dialog; at most one. */
import type { Session } from "../../client.ts";
import type { BulkKind } from "./bulk-actions.ts";
import type { ResumeRefusal } from "./continued.ts";
import { ValueStore } from "../store.ts";

export type OpenDialog =
  | { readonly kind: "none" }
  | { readonly kind: "new" | "palette" | "keys" | "push" | "task" }
  | { readonly kind: "edit" | "kill" | "remove" | "share"; readonly session: Session }
  | { readonly kind: "resume"; readonly session: Session; readonly refusal: ResumeRefusal }
  | { readonly kind: "bulk"; readonly action: BulkKind; readonly sessions: readonly Session[] };

const none: OpenDialog = { kind: "none" };

export const openDialog = new ValueStore<OpenDialog>(none);

export const closeDialog = (): void => openDialog.set(none);
