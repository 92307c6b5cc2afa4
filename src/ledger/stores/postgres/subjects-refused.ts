import type { Ledger } from '../../ledger.ts';

/** What changes altered: nothing, because jobs that change something are refused before a batch begins, see `lookupsOnly`. */
export const subjects = (): Pick<Ledger, 'subjects'> => ({
  subjects: async () => [],
});
