import { parseArgs } from 'node:util';
import { sandboxAccount } from '../../src/client/account/account.ts';
import { dialectOf } from '../../src/client/dialect.ts';
import { PLAYED_VENDORS, type PlayedName } from '../../src/core/played-vendors.ts';
import { parseDurationMs } from '../../src/lib/duration.ts';
import type { PlayedDialect } from '../../src/sandbox/played.ts';
import type { SandboxOptions } from '../../src/sandbox/server.ts';
import { testExtension } from './extension.ts';

/** As `rowonce sandbox --vendor` has the dialect. */
export async function playedDialect(vendor: PlayedName): Promise<PlayedDialect> {
  return { ...(await dialectOf(sandboxAccount(vendor))), vendor };
}

/** The sandbox of a test, from flags like those of `rowonce sandbox`, and `--dialect`. */
export async function testSandbox(words: readonly string[]): Promise<SandboxOptions> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      port: { type: 'string', default: '0' },
      book: { type: 'string' },
      log: { type: 'string' },
      dialect: { type: 'string' },
      rate: { type: 'string' },
      latency: { type: 'string', default: '0ms' },
      vendor: { type: 'string' },
      'match-rate': { type: 'string' },
      seed: { type: 'string', default: '1' },
      faults: { type: 'string', default: '' },
    },
  });
  const vendor = PLAYED_VENDORS.find((each) => each === values.vendor);
  return {
    port: Number(values.port),
    latencyMs: parseDurationMs(values.latency) ?? Number.NaN,
    seed: Number(values.seed),
    faults: values.faults,
    extension: testExtension(values.dialect, values.log),
    ...(vendor === undefined ? {} : { played: await playedDialect(vendor) }),
    ...(values['match-rate'] === undefined ? {} : { matchRate: Number(values['match-rate']) }),
    ...(values.book === undefined ? {} : { bookPath: values.book }),
    ...(values.rate === undefined ? {} : { rate: values.rate }),
  };
}
