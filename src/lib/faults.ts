/**
 * Named crash points, so that the fault suite can kill the real program at every step of a row's path. They
 * stay in the shipped code on purpose, so that the tests prove the code that runs. Without `ROWONCE_CRASH_AT`
 * they cost one comparison.
 *
 * A hook works only where `ROWONCE_TEST_HOOKS=1` says that a test is going on: one variable that was left
 * over in a shell, or that another person set, must not decide about money.
 *
 * `ROWONCE_CRASH_AT=after-intent` ends the process with SIGKILL the first time it gets there,
 * `after-intent:3` the third.
 */
export const CRASH_POINTS = [
  'batch-created',
  'submitting',
  'before-intent',
  'after-intent',
  'after-send',
  'before-keep',
  'after-keep',
  'after-judge',
  'after-end',
  'before-row',
  'after-row',
  'before-commit',
  'after-commit',
  'recovering',
  'after-look',
  'before-finish',
  'output-written',
  'output-renamed',
  'after-output',
  'copying',
  'copy-taken',
  'copy-left',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** The variable of a hook for tests; undefined outside of tests, whatever its value. */
export function testHook(name: string): string | undefined {
  return process.env.ROWONCE_TEST_HOOKS === '1' ? process.env[name] : undefined;
}

const [armedPoint, armedCount = '1'] = (testHook('ROWONCE_CRASH_AT') ?? '').split(':');
let remaining = Number(armedCount);

export function crashPoint(point: CrashPoint): void {
  if (armedPoint !== point) return;
  remaining -= 1;
  if (remaining <= 0) process.kill(process.pid, 'SIGKILL');
}

/**
 * The same at the end of this turn of the event loop: by then, bytes that were written to a socket are on
 * their way.
 */
export function crashPointSoon(point: CrashPoint): void {
  if (armedPoint === point) setImmediate(crashPoint, point);
}

/**
 * `ROWONCE_VENDOR_IS_QUICK=1`: the vendor, which is the fault suite's own, has finished with a request when
 * it answers or hangs up. So its dialect alone says how long to wait before it is asked about a lost one.
 */
export function vendorIsQuick(): boolean {
  return testHook('ROWONCE_VENDOR_IS_QUICK') === '1';
}
