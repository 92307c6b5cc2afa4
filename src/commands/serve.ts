import { z } from 'zod';
import { stop } from '../core/errors.ts';
import { AGAIN, phrase } from '../core/phrase.ts';
import { counted } from '../core/plain-text.ts';
import { EXIT } from '../core/stops.ts';
import { argument, command, flag, onOff } from './shared/command.ts';
import { accept, COMMON, LOG, logOn, stopAsked } from './shared/input.ts';
import { pageCommands } from './shared/library.ts';
import { askAgreementOn } from './shared/spending.ts';

export default command({
  name: 'serve',
  summary: 'Opens the page on this machine: drop a list, see the cost, press start.',
  details:
    'It prints an address that opens the page once, within a minute. ' +
    "Programs find address and token in serve.json in the store's folder. " +
    'Jobs that are named are swept on their schedule, as by nightly; ' +
    'each needs an inbox, and none may change people or projects of a real account.',
  example: 'serve --port 4800',
  faces: ['terminal'],
  input: z.strictObject({
    ...COMMON,
    jobs: argument(z.array(z.string()).default([]), 'YAML files of jobs with inboxes, swept on a schedule'),
    accept: accept(),
    log: LOG,
    port: flag(
      z.int().max(65_535, 'Give a whole number from 0 to 65535.').default(0),
      'where to listen on this machine; 0: any free port',
      '<number>',
    ),
    open: onOff('open it in the browser (the default on a terminal with a screen)', {
      negation: 'only print its address',
    }),
  }),
  async run(input, { console, words }) {
    // The help of every command names this one, and needs no server.
    const { hasScreen, openInBrowser, openPage } = await import('../web/serve.ts');
    const log = logOn(console, input.log);
    const say = (line: string): void => log('info', line);
    // A program that reads the log needs lines without blank ones between them.
    const output = input.log === 'json' ? { print: say, say } : console;
    const { jobs, store, open = console.interactive && hasScreen(process.env) } = input;
    const { opening, close } = await openPage({
      port: input.port,
      store,
      jobs,
      answers: { accept: input.accept, askAgreement: askAgreementOn(console) },
      program: { script: process.argv[1] ?? '', env: process.env, operator: input.as },
      commands: await pageCommands({ store, as: input.as }),
      makesStore: console.interactive,
      words,
      log,
    });
    if (close === undefined && jobs.length > 0)
      throw stop(
        'usage',
        'The page of this store is already open, without these jobs.',
        phrase`End it with Ctrl-C where it runs, then ${AGAIN}.`,
      );
    // The listener for a stop is there before the address is printed, because a reader of the address may
    // stop the page at once.
    const stopped = close ? stopAsked() : EXIT.done;
    output.print(opening.address);
    output.say('This address opens the page once, within a minute; the same command gives another.');
    if (open && !(await openInBrowser(store, opening)))
      output.say('No browser could be started here, so open the address yourself.');
    output.say(close ? 'Ctrl-C ends it.' : 'The page of this store was already open.');
    console.result({ url: opening.address, ...(close ? {} : { already_served: true }) });
    const exitCode = await stopped;
    const drained = (await close?.()) ?? 0;
    if (drained === 0) return {};
    log('warn', `${counted(drained, 'command')} of the page stopped early. Every answer is kept.`);
    log('warn', 'Start the page again and resume the batch there, or run its own command again.');
    return { exitCode };
  },
});
