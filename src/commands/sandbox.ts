import { z } from 'zod';
import { sandboxAccount } from '../client/account/account.ts';
import { dialectOf } from '../client/dialect.ts';
import { present } from '../core/objects.ts';
import { PLAYED_VENDORS } from '../core/played-vendors.ts';
import { startSandbox } from '../sandbox/server.ts';
import { command, flag, text } from './shared/command.ts';
import { duration, stopAsked } from './shared/input.ts';

const share = z
  .string()
  .transform(Number)
  .refine((part) => part >= 0 && part <= 1, {
    error: 'is not a share',
    params: { next: 'Give a number from 0 to 1, such as 0.8.' },
  });

export default command({
  name: 'sandbox',
  summary: 'Serves an invented service and provider on this machine, with their own book of charges.',
  details:
    'A run on sandbox-provider, sandbox-service, sandbox-hunter and so on starts one by itself. ' +
    'With --vendor it speaks the shipped dialect of that vendor, also when it refuses. ' +
    'Faults are reset, timeout, truncate, cut, empty, garbage, huge, bomb, slow, limited-200, limited-429, ' +
    'busy-503, 301, 302, any 4xx and any 5xx. After charged-, such as charged-500, ' +
    'the charge or change is made before the answer is lost. ' +
    'GET /sandbox/book sums up charges, changes and faults.',
  example: 'sandbox --port 4810 --book book.jsonl --rate 20/s --faults "reset:0.02,charged-500:0.01"',
  faces: ['terminal'],
  input: z.strictObject({
    port: flag(
      z.int().max(65_535, 'Give a whole number from 0 to 65535.').default(4810),
      'where to listen on 127.0.0.1; 0: any free port',
      '<number>',
    ),
    book: text('where each charge is noted before it is answered; left out: in memory', '<file>'),
    rate: text(
      'the most requests per key, such as 20/s, 600/min, 5000/h or 100/d; left out: no limit',
      '<rate>',
    ),
    latency: flag(duration.prefault('0ms'), 'how long every answer takes', '<duration>'),
    vendor: flag(
      z.enum(PLAYED_VENDORS).optional(),
      `the played vendor: ${PLAYED_VENDORS.join(', ')}`,
      '<vendor>',
    ),
    match_rate: flag(share.optional(), "share that is known; left out: 0.8, or the vendor's", '<share>'),
    seed: flag(z.int().default(1), 'another number gives other answers and faults', '<number>'),
    faults: flag(
      z.string().default(''),
      'what goes wrong on purpose, as NAME:PROBABILITY or NAME:xCOUNT',
      '<list>',
    ),
  }),
  async run(input, { console }) {
    const { vendor, match_rate: matchRate } = input;
    const played = vendor && { ...(await dialectOf(sandboxAccount(vendor))), vendor };
    const running = await startSandbox({
      port: input.port,
      latencyMs: input.latency,
      seed: input.seed,
      faults: input.faults,
      ...present({ bookPath: input.book, rate: input.rate, played, matchRate }),
    });
    // The listener for a stop is there before the address is printed, because a reader of the address may
    // stop the sandbox at once.
    const stopped = stopAsked();
    console.print(`sandbox listening on ${running.url}`);
    console.result({ url: running.url, port: running.port });
    await stopped;
    await running.close();
    return {};
  },
});
