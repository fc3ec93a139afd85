/** Files that a person gives to a session: sent with their progress, which `fetch` of a browser does not tell. */
import type { OutputOf, Session } from "../../client.ts";
import { splitAddress } from "../../protocol/session-address.ts";
import { machinePath } from "../../protocol/routes.ts";
import { byteSize } from "../parts/text.ts";
import { notify } from "../parts/notice.ts";
import { ValueStore } from "../store.ts";

export interface Upload {
  readonly id: number;
  readonly session: string;
  readonly name: string;
  /** From 0 to 1. */
  readonly share: number;
  readonly cancel: () => void;
}

/** As the daemon has it; a larger file is refused before it is sent. */
const FILE_BYTES_MAX = 50 * 1024 * 1024;
/** At once; a person who drops a folder of files has made a mistake. */
const FILES_MAX = 20;

export const uploads = new ValueStore<readonly Upload[]>([]);
let lastId = 0;

/** Sends the files one after the other and calls back with the path of each. Problems are shown as notices. */
export async function uploadFiles(
  { id: session }: Session,
  files: readonly File[],
  onPath: (path: string) => void,
): Promise<void> {
  if (files.length > FILES_MAX) return notify(`At most ${FILES_MAX} files at once`, "problem");
  for (const file of files) {
    if (file.size > FILE_BYTES_MAX) {
      notify(`${file.name} has ${byteSize(file.size)}: at most 50 MB`, "problem");
      continue;
    }
    try {
      onPath((await send(session, file)).path);
    } catch (error) {
      notify(`${file.name}: ${(error as Error).message}`, "problem");
    }
  }
}

/** A picture of the clipboard has no name of its own. */
const nameOf = (file: File): string =>
  file.name === "" ? `pasted.${file.type.split("/").at(-1) ?? "bin"}` : file.name;

function send(reference: string, file: File): Promise<OutputOf<"files.put">> {
  const { machine, session } = splitAddress(reference);
  const path = `/v1/sessions/${encodeURIComponent(session)}/files?name=${encodeURIComponent(nameOf(file))}`;
  const { promise, resolve, reject } = Promise.withResolvers<OutputOf<"files.put">>();
  const request = new XMLHttpRequest();
  lastId += 1;
  const id = lastId;
  const show = (share: number): void =>
    uploads.set(uploads.get().map((each) => (each.id === id ? { ...each, share } : each)));
  const upload = { id, session: reference, name: nameOf(file), share: 0, cancel: () => request.abort() };
  uploads.set([...uploads.get(), upload]);
  request.upload.addEventListener("progress", ({ loaded, total }) => show(total === 0 ? 1 : loaded / total));
  request.addEventListener("load", () => {
    const answer = JSON.parse(request.responseText) as OutputOf<"files.put"> & { readonly detail?: string };
    if (request.status === 200) resolve(answer);
    else reject(new Error(answer.detail ?? `the daemon answered with ${request.status}`));
  });
  request.addEventListener("abort", () => reject(new Error("cancelled")));
  request.addEventListener("error", () => reject(new Error("the daemon does not answer")));
  request.addEventListener("loadend", () => uploads.set(uploads.get().filter((each) => each.id !== id)));
  request.open("POST", machine === undefined ? path : machinePath(machine, path));
  request.setRequestHeader("content-type", "application/octet-stream");
  request.send(file);
  return promise;
}

/** The files of a paste or a drop; none if it is text. */
export function filesOf(data: DataTransfer | null): readonly File[] {
  return data === null ? [] : [...data.files];
}
