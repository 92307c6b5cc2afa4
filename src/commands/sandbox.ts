import type { Command } from 'commander';
import { EXIT, type ExitCode, stop } from '../core/errors.ts';
import { present } from '../core/objects.ts';
import { parseDurationMs } from '../lib/duration.ts';
import { type SandboxOptions, startSandbox } from '../sandbox/server.ts';
import type { CliCommand, Console } from './shared/command.ts';

interface Flags {
  readonly port: string;
  readonly book?: string;
  readonly log?: string;
  readonly rate?: string;
  readonly latency: string;
  readonly matchRate: string;
  readonly seed: string;
  readonly faults: string;
  readonly untilStdinEnds?: boolean;
}

export default {
  name: 'sandbox',
  summary: 'Serves an invented service and provider on this machine, with their own book of charges.',
  example: 'sandbox --port 4810 --book book.jsonl --rate 20/s --faults "reset:0.02,charged-500:0.01"',
  configure(command: Command, run) {
    command
      .option('--port <number>', 'where to listen on 127.0.0.1; 0: any free port', '4810')
      .option('--book <file>', 'where each charge is noted before it is answered; left out: in memory')
      .option('--log <file>', 'where each request to a vendor is noted')
      .option(
        '--rate <rate>',
        'the most requests per key, such as 20/s, 600/min, 5000/h or 100/d; left out: no limit',
      )
      .option('--latency <duration>', 'how long every answer takes', '0ms')
      .option('--match-rate <share>', 'share of identifiers that are known', '0.8')
      .option('--seed <number>', 'a different number gives different answers and faults', '1')
      .option(
        '--faults <list>',
        'what goes wrong on purpose, as NAME:PROBABILITY or NAME:xCOUNT; NAME@OPERATION for one operation',
        '',
      )
      .option('--until-stdin-ends', 'end when standard input does')
      .action(run((console, flags: Flags) => serve(console, flags)));
  },
} satisfies CliCommand;

async function serve(console: Console, flags: Flags): Promise<ExitCode> {
  const running = await startSandbox(optionsOf(flags));
  // Listens for a stop before the address is printed, because its reader may stop the sandbox at once.
  const stopped = stopRequest(flags.untilStdinEnds === true);
  console.print(`sandbox listening on ${running.url}`);
  console.result({ url: running.url, port: running.port });
  await stopped;
  await running.close();
  return EXIT.done;
}

function optionsOf(flags: Flags): SandboxOptions {
  const latencyMs = parseDurationMs(flags.latency);
  if (latencyMs === undefined) {
    throw stop('usage', `--latency ${flags.latency} is not a duration.`, 'Give it as 50ms or 2s.');
  }
  return {
    port: numberOf('--port', flags.port, 65_535),
    latencyMs,
    matchRate: numberOf('--match-rate', flags.matchRate, 1),
    seed: numberOf('--seed', flags.seed, Number.MAX_SAFE_INTEGER),
    faults: flags.faults,
    ...present({ bookPath: flags.book, logPath: flags.log, rate: flags.rate }),
  };
}

function numberOf(flag: string, text: string, most: number): number {
  const value = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  const whole = most === 1 || Number.isInteger(value);
  if (whole && value <= most) return value;
  const kind = most === 1 ? 'number' : 'whole number';
  throw stop('usage', `${flag} ${text} cannot be used.`, `Give a ${kind} from 0 to ${most}.`);
}

/** Resolves at the first Ctrl-C or SIGTERM and, if asked for, when standard input ends because the parent is gone. */
function stopRequest(untilStdinEnds: boolean): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    if (!untilStdinEnds) return;
    process.stdin.once('close', () => resolve());
    process.stdin.once('error', () => resolve());
    process.stdin.once('end', () => resolve()).resume();
  });
}
