import { parseArgs } from 'node:util';
import { parseDurationMs } from '../../src/lib/duration.ts';
import type { SandboxOptions } from '../../src/sandbox/server.ts';
import { testExtension } from './extension.ts';

/** The sandbox of a test, from flags like those of `rowonce sandbox`, and `--dialect`. */
export function testSandbox(words: readonly string[]): SandboxOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      port: { type: 'string', default: '0' },
      book: { type: 'string' },
      log: { type: 'string' },
      dialect: { type: 'string' },
      rate: { type: 'string' },
      latency: { type: 'string', default: '0ms' },
      'match-rate': { type: 'string', default: '0.8' },
      seed: { type: 'string', default: '1' },
      faults: { type: 'string', default: '' },
      'until-stdin-ends': { type: 'boolean' },
    },
  });
  return {
    port: Number(values.port),
    latencyMs: parseDurationMs(values.latency) ?? Number.NaN,
    matchRate: Number(values['match-rate']),
    seed: Number(values.seed),
    faults: values.faults,
    extension: testExtension(values.dialect),
    ...(values.book === undefined ? {} : { bookPath: values.book }),
    ...(values.log === undefined ? {} : { logPath: values.log }),
    ...(values.rate === undefined ? {} : { rate: values.rate }),
  };
}
