import { startSandbox } from '../../src/sandbox/server.ts';
import { testSandbox } from './options.ts';

/** The sandbox of a test as a program of its own. It ends when its standard input does. */
for (const event of ['end', 'close', 'error']) process.stdin.once(event, () => process.exit(0));
// It is started with the words of a command, of which the name is the first.
const { url } = await startSandbox(await testSandbox(process.argv.slice(2)));
process.stdin.resume();
process.stdout.write(`sandbox listening on ${url}\n`);
