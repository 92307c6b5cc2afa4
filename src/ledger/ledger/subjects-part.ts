import type { KnownSubject } from './call-records.ts';

/** What changes altered. A store may lack this part: then no operation that changes something runs on it. What any process may read beside a running spender. */
export interface SubjectsReader {
  /** Every person and thing that the account's changes altered or tried to, those with lost answers among them. */
  subjects(accountIdentity: string): Promise<readonly KnownSubject[]>;
}
