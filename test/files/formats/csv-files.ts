import {
  DELIMITER_NAMES,
  DELIMITERS,
  type Delimiter,
  type GuessedEncoding,
} from '../../../src/core/format.ts';

/** One way to write a table as delimited text, as some program of some country does. */
export interface Written {
  readonly encoding: GuessedEncoding;
  readonly isMarked: boolean;
  readonly delimiter: Delimiter;
  /** The line ends of the records, in turn. */
  readonly lineEnds: readonly string[];
}

const LINE_ENDS = [['\n'], ['\r\n'], ['\r'], ['\r\n', '\n', '\r']];

/** All of them, by encoding. */
export function writtenFiles(): readonly (readonly [string, readonly Written[]])[] {
  const encodings: readonly (readonly [GuessedEncoding, boolean])[] = [
    ['utf-8', false],
    ['utf-8', true],
    ['utf-16le', true],
    ['utf-16le', false],
    ['utf-16be', true],
    ['utf-16be', false],
    ['windows-1252', false],
  ];
  return encodings.map(([encoding, isMarked]) => [
    `${encoding}${isMarked ? ' with byte-order mark' : ''}`,
    DELIMITER_NAMES.flatMap((delimiter) =>
      LINE_ENDS.map((lineEnds) => ({ encoding, isMarked, delimiter, lineEnds })),
    ),
  ]);
}

/** The table's bytes when it is written so. Cells are in quotes where they must be. */
export function writtenIn(how: Written, table: readonly (readonly string[])[]): Buffer {
  const delimiter = DELIMITERS[how.delimiter];
  const cellOf = (cell: string): string =>
    /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
  const lines = table.map(
    (cells, index) => cells.map(cellOf).join(delimiter) + how.lineEnds[index % how.lineEnds.length],
  );
  return bytesIn(how.encoding, (how.isMarked ? '\uFEFF' : '') + lines.join(''));
}

/** By other means than the program's own. Of Windows-1252 only what the tests write. */
export function bytesIn(encoding: GuessedEncoding, text: string): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    case 'windows-1252':
      return Buffer.from(
        text.replace(/[€“”–]/g, (character) => HIGH[character] ?? '?'),
        'latin1',
      );
  }
}

const HIGH: Readonly<Record<string, string>> = { '€': '\x80', '“': '\x93', '”': '\x94', '–': '\x96' };
