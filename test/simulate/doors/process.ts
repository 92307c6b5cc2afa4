/** The process, as the program sees it: its signals, its end and its number. */
import { inWorld, pass } from '../world.ts';

const SIGNALS = /^SIG/;

export function replaceProcess(): void {
  const real = {
    on: process.on.bind(process),
    off: process.off.bind(process),
    listeners: process.listeners.bind(process),
    exit: process.exit.bind(process),
    kill: process.kill.bind(process),
    pid: process.pid,
  };
  type Hear = (name: string) => void;
  const on = (name: string, hear: Hear): typeof process => {
    const own = SIGNALS.test(name) ? inWorld()?.process : undefined;
    if (own === undefined) return real.on(name, hear as () => void);
    own.on(name, hear as () => void);
    return process;
  };
  const off = (name: string, hear: Hear): typeof process => {
    const own = SIGNALS.test(name) ? inWorld()?.process : undefined;
    if (own === undefined) return real.off(name, hear);
    own.off(name, hear as () => void);
    return process;
  };
  const listeners = (name: string): unknown[] =>
    (SIGNALS.test(name) ? inWorld()?.process : undefined)?.listeners(name) ??
    real.listeners(name as 'SIGINT');
  Object.assign(process, {
    on,
    off,
    listeners,
    exit(code?: number) {
      const own = inWorld()?.process;
      if (own === undefined) return real.exit(code);
      return own.pass(() => {
        own.exitCode = code ?? 0;
        own.end();
      });
    },
    kill(pid: number, name?: NodeJS.Signals | 0) {
      const here = inWorld();
      return here === undefined ? real.kill(pid, name) : pass(() => here.world.kill(pid, name));
    },
  });
  Object.defineProperty(process, 'pid', { get: () => inWorld()?.process.pid ?? real.pid });
}
