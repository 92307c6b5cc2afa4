import type { Notice, Notices } from '../../../../src/ledger/ledger.ts';

/** What jobs tell outside, and whether it was received. */
export type KeptNotice = Notice & { sentAtMs?: number };

export function noticesIn(kept: Map<string, KeptNotice>): Notices {
  return {
    async keep(notice) {
      if (!kept.has(notice.id)) kept.set(notice.id, { ...notice });
    },
    waiting: async () =>
      [...kept.values()].filter(({ sentAtMs }) => sentAtMs === undefined).sort((a, b) => a.atMs - b.atMs),
    async noteSent(id, atMs) {
      const notice = kept.get(id);
      if (notice !== undefined) notice.sentAtMs ??= atMs;
    },
  };
}
