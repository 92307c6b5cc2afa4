/**
 * The bytes that came, or what they say when one more layer of escapes is read or what is not seen is left out. All layers
 * of an answer name their places by the bytes that came.
 */
export interface Layer {
  readonly bytes: Buffer;
  /** So many layers of escapes were read. */
  readonly depth: number;
  /** That of which this one is a reading. */
  readonly source: Layer | undefined;
  /** Where each byte began that came, and behind the last one where all of them end. Left out: where it stands. */
  readonly starts: Uint32Array | undefined;
  /** Where each byte ended that came. Left out: where the next one began. */
  readonly ends: Uint32Array | undefined;
  /** Where each thing began that was left out and, behind that, where it ended. A key may hold what looks like one. */
  readonly gaps: readonly number[] | undefined;
}

/** From a byte to the one after its last, in the bytes that came. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

export const layerOf = (bytes: Buffer): Layer => ({
  bytes,
  depth: 0,
  source: undefined,
  starts: undefined,
  ends: undefined,
  gaps: undefined,
});

export const startOf = ({ starts }: Layer, at: number): number => starts?.[at] ?? at;

export const endOf = (layer: Layer, at: number): number => layer.ends?.[at] ?? startOf(layer, at + 1);

/** The byte that begins at a place of the bytes that came, at which one does begin. */
export function placeOf({ bytes, starts }: Layer, start: number): number {
  if (starts === undefined) return start;
  let least = 0;
  let most = bytes.length;
  while (least < most) {
    const middle = (least + most) >>> 1;
    if ((starts[middle] ?? 0) < start) least = middle + 1;
    else most = middle;
  }
  return least;
}
