import type { Dialect, DialectOperation } from '../dialect.ts';
import {
  askable,
  fieldOf,
  headersName,
  inPath,
  type Problems,
  sharedField,
  unknownParameter,
} from './parts.ts';

/** Checks the changes of a service. Unlike a lookup, such a call always has all of its parameters. */

/** Parameters by logical operation, as a dialect's `fields` names them. */
export const CHANGE_PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['create-project', ['name', 'description', 'organization_id']],
  ['create-invite', ['permissions', 'email']],
  ['update-user', ['user_id', 'permissions']],
  ['delete-invite', ['invite_code']],
  ['remove-user', ['user_id']],
]);

/** The one change without a project, because it makes one. */
const MAKES_A_PROJECT = 'create-project';

/** The one operation whose answer may say that a person is in the project at once. */
const INVITES = 'create-invite';

export function* inChange(dialect: Dialect, name: string, entry: DialectOperation): Problems {
  const keys = ['operations', name];
  const parameters = CHANGE_PARAMETERS.get(name) ?? [];
  yield* unknownParameter(entry, parameters, keys);
  const without = parameters.find((each) => entry.fields?.[each] === null);
  if (without !== undefined) {
    const fact = `every ${name} has ${without}, so the vendor needs a field for it`;
    yield { keys: [...keys, 'fields', without], part: 'value', fact, next: 'Name the field.' };
  }
  yield* sharedField(entry, askable(entry, parameters), keys);
  // Permissions are an object, and a path can only hold text.
  const inPaths = parameters.filter((each) => each !== 'permissions').map((each) => fieldOf(entry, each));
  yield* inPath(entry.path, inPaths, [...keys, 'path']);
  if (name !== MAKES_A_PROJECT && !headersName('project_id', dialect.headers, entry.headers)) {
    const fact = `no header of ${name} has {project_id}, so the service would not know which project is meant`;
    const next = 'Put {project_id} into a header, such as authorization: Bearer {project_id}:{key}.';
    yield { keys: [...keys, 'headers'], part: 'value', fact, next };
  }
  if (entry.accepted !== undefined && name !== INVITES) {
    const fact = `${name} invites nobody, so its answer cannot say that an invite was accepted`;
    yield { keys: [...keys, 'accepted'], part: 'name', fact, next: 'Leave it out.' };
  }
}
