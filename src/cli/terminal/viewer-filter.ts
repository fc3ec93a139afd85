/** Output as a viewer's terminal may have it: what acts on the terminal beyond drawing is taken out. */

/** Passes everything on for now. */
export class ViewerFilter {
  feed(bytes: Uint8Array): Uint8Array {
    return bytes;
  }
}
