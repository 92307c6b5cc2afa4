/**
 * Part by part, so that memory does not grow with what is read.
 * @param most rows of a part; one with fewer is the last.
 * @param behind where the part after that of this last row begins.
 */
export async function* parts<Row, Place>(
  most: number,
  first: Place,
  read: (from: Place) => Promise<readonly Row[]>,
  behind: (last: Row) => Place,
): AsyncGenerator<readonly Row[], void, undefined> {
  for (let from = first; ; ) {
    const part = await read(from);
    const last = part.at(-1);
    if (last === undefined) return;
    yield part;
    if (part.length < most) return;
    from = behind(last);
  }
}

export async function* flat<Row>(read: AsyncIterable<readonly Row[]>): AsyncGenerator<Row, void, undefined> {
  for await (const part of read) yield* part;
}
