import type { Agreement } from './records.ts';

/** To which requests of others a person agreed. What any process may read beside a running spender. */
export interface ConsentsReader {
  /** The agreement to requests of that content; undefined when nobody has agreed. */
  agreement(sha256: string): Promise<Agreement | undefined>;
}

export interface Consents extends ConsentsReader {
  /** Keeps an agreement for good. The first one for the same content stays. */
  noteAgreement(agreement: Agreement): Promise<void>;
}
