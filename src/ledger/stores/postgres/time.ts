import type { Ledger } from '../../ledger.ts';
import { notYet } from './not-yet.ts';
import type { Session } from './session.ts';

/** What time it is believed to be. */
type Part = Pick<
  Ledger,
  'confirmedTime' | 'keptTime' | 'atBoot' | 'keepSeenTime' | 'keepConfirmedTime' | 'refuteTimes'
>;

export const time = (_session: Session): Part =>
  notYet<Part>('confirmedTime', 'keptTime', 'atBoot', 'keepSeenTime', 'keepConfirmedTime', 'refuteTimes');
