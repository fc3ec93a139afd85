/** The content of `session/prompt` as what can be typed: text, and files that lie beside the session. */

type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "resource_link"; readonly uri: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: { readonly uri: string } & (
        | { readonly text: string }
        | { readonly blob: string; readonly mimeType?: string | null | undefined }
      );
    };

/** `data` is base64. */
type PromptPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly name: string; readonly data: string; readonly isText: boolean };

/** An embedded resource becomes a file: the editor may have changes that are not saved. */
export const promptParts = (content: readonly Content[]): PromptPart[] =>
  content.map((block, index) => {
    switch (block.type) {
      case "text":
        return { type: "text", text: block.text };
      case "resource_link":
        return { type: "text", text: pathOf(block.uri) };
      case "image":
      case "audio":
        return file(`${block.type}-${index + 1}.${extensionOf(block.mimeType)}`, block.data);
      case "resource": {
        const { resource } = block;
        const name =
          pathOf(resource.uri)
            .split("/")
            .findLast((part) => part !== "") ?? "resource";
        return "text" in resource ? file(name, resource.text, true) : file(name, resource.blob);
      }
    }
  });

const file = (name: string, data: string, isText = false): PromptPart => ({ type: "file", name, data, isText });

const extensionOf = (mimeType: string): string => /\/(?:x-)?([a-z0-9]+)/i.exec(mimeType)?.[1] ?? "bin";

/** The path of a `file:` address, else the address. */
function pathOf(uri: string): string {
  const path = /^file:\/\/(?:localhost)?(\/.*)$/.exec(uri)?.[1];
  if (path === undefined) return uri;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
