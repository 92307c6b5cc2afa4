/**
 * Writes a table as another program would, so that the format of the same name in `src/files/formats/` can read it. A format
 * is in the contract suite as soon as there is a file of its name in `samples/`, and missed there until then.
 */
export interface SampleWriter {
  readonly name: string;
  /** With the dot, as the file is called. */
  readonly ending: string;
  /** Whether no row of such a file is a header, so that the first row has the number 1. */
  readonly isHeaderless?: true;
  /** @param records header first; one without cells is a blank line. */
  write(records: readonly (readonly string[])[]): Promise<Buffer>;
}
