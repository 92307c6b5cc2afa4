import { counted, grouped, percent } from './figures.ts';

interface ReadProps {
  /** How many rows there may be; null where nobody can say. */
  readonly rows: number | null;
  /** Which part of the file has been brought, from 0 to 1; left out: all of it. */
  readonly brought?: number;
  /** How many rows were read. */
  readonly read?: number;
}

/** To bring a file takes such a part of the time until it is read. */
const BRINGING = 0.1;

/** `Reading, about 200,000 rows · 32 %`. The bar goes on where it was when the file has been brought. */
export function ReadBar({ rows, brought = 1, read = 0 }: ReadProps) {
  const isOpen = brought === 1 && rows === null;
  const part = BRINGING * brought + (1 - BRINGING) * Math.min(1, read / (rows ?? Number.POSITIVE_INFINITY));
  const says = rows === null ? (read > 0 ? `, ${grouped(read)} rows so far` : '') : `, ${aboutWords(rows)}`;
  return (
    <>
      <progress aria-label="Reading" value={isOpen ? undefined : part} />
      <span class="soft" role="status">
        Reading{says}
      </span>
      {!isOpen && <span class="soft">{percent(part, 1)}</span>}
    </>
  );
}

/** Two digits of a number that is only likely. */
export const aboutWords = (rows: number): string => `about ${counted(Number(rows.toPrecision(2)), 'row')}`;
