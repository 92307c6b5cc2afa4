import type { Command } from 'commander';
import type { Agreement } from '../client/account/agreements.ts';
import { EXIT, type ExitCode, stop } from '../core/errors.ts';
import { version } from '../core/families.ts';
import { counted } from '../core/plain-text.ts';
import { wholeNumber } from '../lib/command-line.ts';
import { hasScreen, type Opening, openInBrowser, openPage } from '../web/serve.ts';
import type { CliCommand, Console } from './shared/command.ts';
import { acceptOption, askAgreementOn } from './shared/flags.ts';

interface Flags {
  readonly port: string;
  /** Left out: where a person sits in front of a screen. */
  readonly open?: boolean;
  readonly maxUpload?: string;
  readonly timeZone?: string;
  readonly accept?: Agreement;
  readonly store?: string;
  readonly as?: string;
}

export default {
  name: 'serve',
  summary: 'Opens the page on this machine: drop a list, see the cost, press start.',
  example: 'serve --port 4800',
  configure(command: Command, wrap) {
    command
      .argument('[jobs...]', 'YAML files of jobs whose inboxes are swept on a schedule')
      .option(
        '--time-zone <zone>',
        "the time zone of schedules, such as Australia/Melbourne; left out: this machine's",
      )
      .addOption(acceptOption())
      .option('--port <number>', 'where to listen on this machine; 0: any free port', '0')
      .option('--open', 'open it in the browser (the default on a terminal with a screen)')
      .option('--no-open', 'only print its address')
      .option('--max-upload <megabytes>', 'the largest list that the page takes; left out: 2048')
      .action(wrap(serveCommand));
  },
} satisfies CliCommand;

async function serveCommand(console: Console, jobs: readonly string[], flags: Flags): Promise<ExitCode> {
  const opened = await openPage({
    port: portOf(flags.port),
    store: flags.store,
    jobs,
    answers: { accept: flags.accept, askAgreement: askAgreementOn(console) },
    timeZone: flags.timeZone,
    version: version(),
    mostUploadBytes: megabytesOf(flags.maxUpload),
    script: process.argv[1] ?? '',
    operator: flags.as,
    tell: (fact) => console.warn(fact),
  });
  if (opened.kind === 'served') {
    if (jobs.length > 0)
      throw stop(
        'usage',
        'The page of this store is already open, without these jobs.',
        'End it with Ctrl-C where it runs, then run the same command again.',
      );
    await show(console, flags, opened.opening, opened.another);
    console.say('The page of this store was already open.');
    console.result({ url: opened.opening.address, already_served: true });
    return EXIT.done;
  }
  const { page } = opened;
  // Listens for a stop before the address is printed, because its reader may stop the page at once.
  const stopped = stopRequest();
  const opening = page.opening();
  await show(console, flags, opening, async () => page.opening());
  console.say('Ctrl-C ends it.');
  console.result({ url: opening.address });
  const exitCode = await stopped;
  const drained = await page.close();
  if (drained === 0) return EXIT.done;
  console.warn(`${counted(drained, 'command')} of the page stopped early. Every answer is kept.`);
  console.warn('Start the page again and resume the batch there, or run its own command again.');
  return exitCode;
}

/** Prints an address and, where it is wanted, opens the browser at another one, because each works once. */
async function show(
  console: Console,
  { open = console.interactive && hasScreen(process.env), store }: Flags,
  { address }: Opening,
  another: () => Promise<Opening | undefined>,
): Promise<void> {
  console.print(address);
  console.say('This address opens the page once, within a minute; the same command gives another.');
  const opening = open ? await another() : undefined;
  if (opening !== undefined && !(await openInBrowser(store, opening)))
    console.say('No browser could be started here, so open the address yourself.');
}

function portOf(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw stop('usage', `--port ${text} is not a port.`, 'Give a whole number from 0 to 65535.');
}

function megabytesOf(text: string | undefined): number | undefined {
  const megabytes = wholeNumber('--max-upload', text);
  return megabytes === undefined ? undefined : megabytes * 1024 ** 2;
}

/** Resolves at the first Ctrl-C, SIGTERM or closed window, with what a command that it stopped exits with. */
function stopRequest(): Promise<ExitCode> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve(EXIT.interrupted));
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve(EXIT.terminated));
  });
}
