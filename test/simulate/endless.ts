/** Faults by which a run does not end, and a world in which the simulation has to say so. */
export const ENDLESS = [
  {
    rule: '14c: a row that was finished is kept',
    what: 'a run that goes on with a row that is never kept',
    file: 'src/ledger/gather.ts',
    instead: 'return { replies, ends, rows: rows.slice(0, -1), fills, intents };',
    played: ['--world', 'lists', '--from', '67'],
    why: 'Error: it does not end: run job.yaml list.csv --budget 1000 --yes --json',
  },
  {
    rule: '14d: a run lets others have a turn',
    what: 'a run that lets nothing else have a turn',
    file: 'src/run/pipeline.ts',
    instead: 'const startedMs = 0; for (;;) await undefined;',
    played: ['--world', 'fill', '--from', '19', '--longest', '5'],
    why: 'it takes more than 5 s',
  },
  {
    rule: '14e: a run closes its batch',
    what: 'a batch that its run does not close',
    file: 'src/plan/batch.ts',
    instead: "if (settled > rowsOf(batch)) await ledger.changeBatch(batch.id, { state: 'finished' });",
    played: ['--world', 'lists', '--from', '1'],
    why: 'Error: the run of \\w+ has ended, and the batch is open',
  },
] as const;
