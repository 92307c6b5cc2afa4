import type { Damage } from './mend.ts';
import type { Read } from './reading.ts';

/** The kind of value that the cells of a column should hold. It decides which cells are damaged. */
export type KindName =
  | 'abn'
  | 'email'
  | 'profile_url'
  | 'profile_slug'
  | 'website'
  | 'domain'
  | 'number'
  | 'person_name'
  | 'company_name'
  | 'phone'
  | 'postcode'
  | 'text';

/** What is known of one kind of value. One file of this room is one kind, or a few that are read alike. */
export interface Kind {
  readonly read?: Read;
  /**
   * Whether a cell shows by itself that it is of the kind, so that a column of such cells is. This is
   * stricter than `read`, which knows the column: an e-mail address will do for a domain, but a column of
   * them is a column of e-mail addresses. Total and pure; it rejects most cells of other kinds before they
   * are read in full. Left out: no cell shows it.
   */
  readonly looksRight?: (cell: string) => boolean;
  /**
   * Whether a text that hides nothing may stand for no value all the same. It spares nearly every cell from
   * being read in full. Left out: any may.
   */
  readonly mayStandIn?: (text: string) => boolean;
  /** Left out: nothing of such a cell is damage. */
  readonly damage?: Damage;
}
