/** Reports of start tags whose end did not come, in words. */
import { tagDefaults, type AbandonReason, type TagScannerOptions } from "./tag-scanner.ts";

/** Why a tag was abandoned, and what to do. `isCut`: the end of the text is missing. */
export function abandonReason(
  reason: AbandonReason,
  { tagName = tagDefaults.tagName, tagBytesMax, tagMsMax }: TagScannerOptions,
  isCut = false,
): string {
  switch (reason) {
    case "size":
      return `it is larger than ${tagBytesMax ?? tagDefaults.tagBytesMax} bytes, the limit of the session`;
    case "time":
      return `its end did not come within ${tagMsMax ?? tagDefaults.tagMsMax} ms, the limit of the session`;
    case "nested":
      return "another tag starts inside of it; write one after the other";
    case "end":
      return isCut
        ? "the text is longer than what is recorded of a turn"
        : `the text ends before "</${tagName}>" was written`;
  }
}
