/**
 * Crash points, so that the fault suite can kill the real program at every step of a row: what is proven is what runs.
 * `ROWONCE_CRASH_AT=after-intent:3` ends the process with SIGKILL the third time it gets there. Hooks work only under
 * `ROWONCE_TEST_HOOKS=1`: one variable that was left over in a shell must not decide about money.
 */
export const CRASH_POINTS = [
  'batch-created',
  'before-intent',
  'after-intent',
  'after-send',
  'before-record',
  'after-record',
  'after-judge',
  'after-close',
  'before-row',
  'after-row',
  'before-commit',
  'before-watermark',
  'recovering',
  'after-look',
  'before-finish',
  'output-written',
  'output-renamed',
  'after-output',
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** The variable of a hook for tests; undefined outside of tests, whatever it is set to. */
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

/** `ROWONCE_VENDOR_IS_QUICK=1`: the suite's vendor has finished when it answers, so its dialect alone says how long to wait. */
export function vendorIsQuick(): boolean {
  return testHook('ROWONCE_VENDOR_IS_QUICK') === '1';
}
