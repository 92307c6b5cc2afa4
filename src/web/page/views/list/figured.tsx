import { grouped } from '../../parts/figures.ts';

/** `12 found`, in a tile. */
export const figured = (rows: number, says: string) => (
  <span>
    <b>{grouped(rows)}</b> {says === 'rows' && rows === 1 ? 'row' : says}
  </span>
);
