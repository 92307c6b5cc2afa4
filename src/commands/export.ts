import { z } from 'zod';
import { present } from '../core/objects.ts';
import type { OutputFiles } from '../files/output/output.ts';
import { findBatch } from '../run/open-ledger.ts';
import { batchOfJob, exportBatch } from '../run/tasks/export.ts';
import { argument, command, flag } from './shared/command.ts';
import { BATCH, COMMON, notesOn, outputFile, refuseTwoOnStdout } from './shared/input.ts';
import { ENTRIES, entriesOf, FORMULAS, READ } from './shared/job-entries.ts';

export default command({
  name: 'export',
  summary: 'Writes the output of a batch again, from the ledger.',
  details:
    'Beside a run that is spending from the same store, or from a store that lost something, it writes NAME.so-far. Where the list is gone or was changed, the output is made of the cells that the store keeps.',
  example: 'export last',
  work: 'long',
  input: z.strictObject({
    ...COMMON,
    batch: argument(z.string().optional(), `${BATCH}; or a job, when a file follows`, { page: 'batch' }),
    file: argument(z.string().optional(), 'the input of the job', { page: 'none' }),
    job: z.string().optional(),
    ...READ,
    output: outputFile('ticket'),
    formulas: FORMULAS,
    copy: flag(
      z.boolean().optional(),
      'with -o: write a copy, and leave the batch its own output',
      undefined,
      { page: 'none' },
    ),
    account: ENTRIES.account,
    repair: ENTRIES.repair,
  }),
  output: z.object({
    batch: z.string(),
    output: z.string().nullable(),
    needs_attention: z.string().nullable(),
    results: z.string().exactOptional(),
  }),
  entriesOf: (first, file) => (file === undefined ? { batch: first } : { job: first, file }),
  async run({ batch, job, file, output, copy, formulas, store, ...said }, host) {
    const { console, own } = host;
    refuseTwoOnStdout(console.json, output);
    const found =
      job !== undefined && file !== undefined
        ? await batchOfJob({ job, file, entries: entriesOf(said), store }, console.warn)
        : await findBatch(batch ?? 'last', store, console.warn);
    const files: Partial<OutputFiles> = await exportBatch(found, {
      output: own.output || (output === '-' ? process.stdout : output),
      copy: copy || undefined,
      formulas,
      onEvent: notesOn(host),
    });
    const written = [files.output, files.attention, files.results, files.report];
    return {
      lines: written.filter((path) => path !== undefined),
      object: {
        batch: found.batch.id,
        output: files.output ?? null,
        needs_attention: files.attention ?? null,
        ...present({ results: files.results }),
      },
    };
  },
});
