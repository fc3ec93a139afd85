/** The tag of events for those who read tags or leave them out. Without a schema: a command loads that library longer than it runs. */
import { tagDefaults, type TagScannerOptions } from "../core/events/tag-scanner.ts";

/** The tag of the events in the output of a session, `<NAME name="...">{...}</NAME>`, and its limits. */
export interface EventTag {
  readonly name: string;
  readonly bytesMax: number;
  readonly msMax: number;
}

export const defaultEventTag: EventTag = {
  name: tagDefaults.tagName,
  bytesMax: tagDefaults.tagBytesMax,
  msMax: tagDefaults.tagMsMax,
};

export const tagOptionsOf = ({ name, bytesMax, msMax }: EventTag): TagScannerOptions => ({
  tagName: name,
  tagBytesMax: bytesMax,
  tagMsMax: msMax,
});
