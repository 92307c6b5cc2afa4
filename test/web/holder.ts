import { Work } from '../../src/web/server/work.ts';
import { PROGRAM } from '../cli/rowonce.ts';

/**
 * A program that starts a command as the page's server does, and ends as it does: `node holder.ts WORDS…`. It prints what
 * came of the command when it was asked to stop.
 */
const work = new Work({ script: PROGRAM, env: process.env }, Date.now);
work.start({ kind: 'run', words: process.argv.slice(2), store: 'store', about: 'list' });
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void work.close().then(() => {
      process.stdout.write(JSON.stringify(work.list()));
      process.exit();
    });
  });
