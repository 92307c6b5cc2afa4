import fc from 'fast-check';

/** A CSV file written by somebody else, next to what it means: built piece by piece, so that no parser is needed. */
export interface WrittenCsv {
  readonly mark: string;
  readonly header: readonly string[];
  readonly pieces: readonly Piece[];
}

/** One record or blank line as it stands in the file. `cells` are what it means; a blank line has none. */
export interface Piece {
  readonly kind: 'header' | 'row' | 'left_out' | 'blank';
  readonly text: string;
  readonly lineEnd: string;
  readonly cells: readonly string[];
}

export const LINE_ENDS = ['\n', '\r\n', '\r'] as const;

/** The file's bytes, with something put between the text and the line end of each record. */
export function bytesOf({ mark, pieces }: WrittenCsv, appended: (piece: Piece) => string = () => ''): Buffer {
  const lines = pieces.map((piece) => `${piece.text}${appended(piece)}${piece.lineEnd}`);
  return Buffer.from(mark + lines.join(''));
}

/** A cell as RFC 4180 writes it: in quotes when it must be. */
export function written(cell: string): string {
  return /[",\r\n]/.test(cell) ? quoted(cell) : cell;
}

export const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

/** Text with what CSV stumbles over in most of it. A zero byte is damage, and not meant here. */
export const cellText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
  fc
    .array(fc.constantFrom('"', ',', '\n', '\r', '\r\n', ' ', 'a', 'é', '𝄞', '\uFEFF', ''), { maxLength: 6 })
    .map((parts) => parts.join('')),
);

const columnName = fc.constantFrom(
  'ABN',
  '__proto__',
  'constructor',
  'Name, "given"',
  'two\nlines',
  'Straße',
  'x',
);

function piece(kind: 'header' | 'row', cells: readonly string[]): fc.Arbitrary<Piece> {
  const alone = cells.length === 1;
  // A line of nothing but delimiters is a blank row of a sheet.
  const meant = kind === 'row' && !alone && cells.every((cell) => cell.trim() === '') ? 'left_out' : kind;
  // Quotes are needed for some cells and a matter of taste for the rest; a lone empty cell would be a blank line.
  const texts = cells.map((cell) =>
    fc.boolean().map((taste) => (taste || (alone && cell === '') ? quoted(cell) : written(cell))),
  );
  return fc
    .record({ texts: fc.tuple(...texts), lineEnd: fc.constantFrom(...LINE_ENDS) })
    .map(({ texts, lineEnd }) => ({ kind: meant, text: texts.join(','), lineEnd, cells }));
}

const blankLine: fc.Arbitrary<Piece> = fc
  .constantFrom(...LINE_ENDS)
  .map((lineEnd) => ({ kind: 'blank', text: '', lineEnd, cells: [] }));

export const writtenCsv: fc.Arbitrary<WrittenCsv> = fc
  .uniqueArray(columnName, { minLength: 1, maxLength: 4 })
  .chain((header) => {
    const width = header.length;
    const row = fc
      .array(cellText, { minLength: width, maxLength: width })
      .chain((cells) => piece('row', cells));
    return fc.record({
      mark: fc.constantFrom('', '\uFEFF'),
      header: fc.constant(header),
      above: fc.array(blankLine, { maxLength: 2 }),
      first: piece('header', header),
      below: fc.array(fc.oneof({ weight: 4, arbitrary: row }, { weight: 1, arbitrary: blankLine })),
      isLastLineOpen: fc.boolean(),
    });
  })
  .map(({ mark, header, above, first, below, isLastLineOpen }) => {
    return { mark, header, pieces: joinable([...above, first, ...below], isLastLineOpen) };
  });

/** A CR before the LF of a blank line would be one line end; and only a record can end without one. */
function joinable(pieces: readonly Piece[], isLastLineOpen: boolean): readonly Piece[] {
  const parted = pieces.map((each, index) => {
    const merges = each.text === '' && each.lineEnd === '\n' && pieces[index - 1]?.lineEnd === '\r';
    return merges ? { ...each, lineEnd: '\r\n' } : each;
  });
  const last = parted.at(-1);
  if (!isLastLineOpen || last === undefined || last.kind === 'blank') return parted;
  return [...parted.slice(0, -1), { ...last, lineEnd: '' }];
}
