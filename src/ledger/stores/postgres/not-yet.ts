import { invariant } from '../../../core/errors.ts';

/** A part whose methods are still to be written. */
export function notYet<Face extends object>(...names: readonly (keyof Face & string)[]): Face {
  const refuse = (name: string) => async () => invariant(false, `${name} is not yet there on PostgreSQL`);
  return Object.fromEntries(names.map((name) => [name, refuse(name)])) as Face;
}
