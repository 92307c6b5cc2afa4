import { codeOf } from './system-errors.ts';

/** Whether a process may be alive on this machine. Another one may have its number by now. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}
