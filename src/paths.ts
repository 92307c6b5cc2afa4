import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Where our own files are when nobody says otherwise. */

type Environment = Readonly<Record<string, string | undefined>>;

/** The accounts file: in `$ROWONCE_CONFIG`, else in the XDG config folder. */
export function accountsPath(env: Environment = process.env): string {
  return join(env.ROWONCE_CONFIG || xdgFolder(env.XDG_CONFIG_HOME, '.config'), 'accounts.yaml');
}

/** The store when neither `--store` nor `$ROWONCE_STORE` names one. */
export function stateFolder(env: Environment = process.env): string {
  return xdgFolder(env.XDG_STATE_HOME, '.local/state');
}

/** Where standard input is kept, so that a run over it can be resumed. */
export function spoolFolder(env: Environment = process.env): string {
  return join(stateFolder(env), 'spool');
}

/** The XDG specification says to ignore a relative path. */
function xdgFolder(named: string | undefined, byDefault: string): string {
  const base = named !== undefined && isAbsolute(named) ? named : join(homedir(), byDefault);
  return join(base, 'rowonce');
}
