import { type Patch, withAttribute, withoutAttribute } from './placed-xml.ts';
import type { FoundElement } from './sheet-frame.ts';
import { isTrue } from './xml.ts';

/** Wide enough for an ABN, a date with its time, and most names. */
const WIDTH = '20';

/**
 * An entry of a sheet's columns is about all from one to another, often to the last one of the sheet. Where it hides ours, it is
 * split, and everything that it says of other columns stays.
 * @param places the columns that are shown from now on.
 */
export function widthPatches(widths: readonly FoundElement[], places: readonly number[]): readonly Patch[] {
  return widths.flatMap(({ attributes, open, tag }) => {
    const isHidden = isTrue(attributes.hidden) || Number(attributes.width ?? WIDTH) === 0;
    const [first, last] = [Number(attributes.min), Number(attributes.max)];
    const shown = places.map((place) => place + 1).filter((column) => column >= first && column <= last);
    if (!isHidden || shown.length === 0) return [];
    return [
      {
        ...open,
        text: split(
          tag,
          first,
          last,
          shown.toSorted((one, other) => one - other),
        ),
      },
    ];
  });
}

/** @param shown columns between the first and the last, from the left. */
function split(tag: string, first: number, last: number, shown: readonly number[]): string {
  const parts: string[] = [];
  let next = first;
  for (const column of shown) {
    if (next < column) parts.push(about(tag, next, column - 1));
    parts.push(about(visible(tag), column, column));
    next = column + 1;
  }
  if (next <= last) parts.push(about(tag, next, last));
  return parts.join('');
}

function about(tag: string, min: number, max: number): string {
  return withAttribute(withAttribute(tag, 'min', String(min)), 'max', String(max));
}

function visible(tag: string): string {
  const bare = ['hidden', 'collapsed', 'width', 'customWidth'].reduce(withoutAttribute, tag);
  return withAttribute(withAttribute(bare, 'width', WIDTH), 'customWidth', '1');
}
