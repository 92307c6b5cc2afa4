import { callsThat, describedCall, makesProject } from '../../core/described.ts';
import { nearestWord, suggestion } from '../../core/errors.ts';
import { EMAIL_VERDICTS, TAKEN_BY, type VerdictWords, verdictsOf } from '../../core/given.ts';
import type { Method } from '../../core/operation.ts';
import { foreignName, listed } from '../../core/plain-text.ts';
import { ACCOUNT_VALUES, isSlot } from '../slots.ts';
import { type DialectEntries, type DialectOperation, entries } from './dialect-schema.ts';

/**
 * The schema, with checks that the schema cannot make by itself: entries that contradict each other, and
 * requests that could not be made for any call. A dialect that passes never makes a request with an unfilled
 * placeholder.
 */
export const dialectSchema = entries.superRefine((dialect, context) => {
  const refuse: Refuse = (keys, fact, next, part = 'value') =>
    context.addIssue({ code: 'custom', path: [...keys], message: fact, params: { next, part } });
  checkHeaders(dialect.headers, ['headers'], [], refuse);
  checkAuth(dialect, refuse);
  for (const request of requestsOf(dialect)) checkRequest(request, refuse);
  for (const [name, entry] of Object.entries(dialect.operations))
    checkOperation(name, entry, dialect, refuse);
  for (const name of ['list_users', 'list_invites'] as const) {
    const listing = dialect[name];
    if (listing === undefined || `${listing.path}${partsOf(dialect, listing)}`.includes('{project_id}'))
      continue;
    const fact =
      `neither the path nor a header of ${name} has {project_id}, ` +
      'so it could be the list of any project';
    refuse([name], fact, 'Put {project_id} into one of them.', 'name');
  }
  if (dialect.api_call !== undefined)
    checkHeaders(dialect.api_call.headers, ['api_call', 'headers'], [], refuse);
});

/** @param part whether the name or the value of the entry is wrong. */
type Refuse = (
  keys: readonly (string | number)[],
  fact: string,
  next: string,
  part?: 'name' | 'value',
) => void;

type NamedHeaders = Readonly<Record<string, string>>;

const partsOf = (
  { headers }: DialectEntries,
  request: { readonly headers?: NamedHeaders | undefined },
): string => Object.values({ ...headers, ...request.headers }).join(' ');

/** All that a call of an entry may be asked by; undefined where it brings its own request. */
function parametersOf(name: string): readonly string[] | undefined {
  const { parameters, together } = describedCall(name);
  return parameters && [...parameters, ...together];
}

/** A change always has all of its parameters; a lookup may have any one of them alone, or those of `by`. */
const isChange = (name: string): boolean => {
  const { changes, parameters } = describedCall(name);
  return changes !== undefined && parameters !== undefined;
};

const IDEMPOTENCY_KEY = 'idempotency_key';

interface Request {
  readonly keys: readonly string[];
  readonly shape: Pick<DialectOperation, 'path' | 'headers' | 'fields' | 'body'> & {
    readonly method: Method;
  };
  /** The parameters that a call may have; undefined where no one knows. */
  readonly parameters: readonly string[] | undefined;
  /** Those that calls have together, of the parameters for which the vendor has a field. */
  readonly calls: readonly (readonly string[])[];
  /** The names that may be filled in besides the parameters and the account's own values. */
  readonly also: readonly string[];
}

function requestsOf(dialect: DialectEntries): readonly Request[] {
  const { operations, usage, balance, whoami, list_users, list_invites } = dialect;
  const ofOperations = Object.entries(operations).flatMap(([name, shape]): Request[] => {
    const keys = ['operations', name];
    const all = parametersOf(name);
    const askedParameters =
      describedCall(name).parameters?.filter((each) => shape.fields?.[each] !== null) ?? [];
    const calls = isChange(name) ? [askedParameters] : membersOf(shape.by ?? askedParameters);
    const request = { keys, shape, parameters: all, calls, also: [] };
    const requests = [request, ...byIdOf(keys, shape)];
    if (shape.read_back === undefined) return requests;
    const parameters = all?.filter((each) => shape.fields?.[each] !== null);
    const also = isChange(name) ? [IDEMPOTENCY_KEY, 'project_id'] : [IDEMPOTENCY_KEY];
    return [...requests, { keys: [...keys, 'read_back'], shape: shape.read_back, parameters, calls, also }];
  });
  const others = Object.entries({ usage, balance, whoami, list_users, list_invites });
  return [
    ...ofOperations,
    ...others.flatMap(([name, shape]): Request[] => {
      const also = name.startsWith('list_') ? ['project_id'] : [];
      return shape === undefined ? [] : [{ keys: [name], shape, parameters: [], calls: [], also }];
    }),
  ];
}

/** The requests for a later answer and for what was found, which are asked by the vendor's id alone. */
function byIdOf(keys: readonly string[], { method, ...operation }: DialectOperation): readonly Request[] {
  const shapes = {
    later: operation.later && { ...operation.later, method: operation.later.method ?? 'GET' },
    then: operation.then && { ...operation.then, method: operation.then.method ?? method },
  };
  return Object.entries(shapes).flatMap(([name, shape]) => {
    const byId = { parameters: [TAKEN_BY], calls: [[TAKEN_BY]], also: [] };
    return shape === undefined ? [] : [{ keys: [...keys, name], shape, ...byId }];
  });
}

const membersOf = (tiers: readonly string[]): readonly (readonly string[])[] =>
  tiers.map((tier) => tier.split('+').map((each) => each.trim()));

function checkRequest(request: Request, refuse: Refuse): void {
  const { keys, shape, parameters, calls, also } = request;
  checkHeaders(shape.headers ?? {}, [...keys, 'headers'], also, refuse);
  if (parameters === undefined) return;
  const unknown = Object.keys(shape.fields ?? {}).find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    const fact = `the operation has no parameter ${foreignName(unknown)}`;
    refuse([...keys, 'fields', unknown], fact, suggestion(unknown, parameters), 'name');
  }
  const fieldsOf = (name: string) => (shape.fields?.[name] === null ? [] : [shape.fields?.[name] ?? name]);
  const askedFields = calls.map((members) => members.flatMap(fieldsOf));
  const known = [...new Set(askedFields.flat()), ...also];
  const rest = 'by' in shape && shape.by ? 'take such calls out of `by`' : 'write null for every other field';
  for (const name of placeholdersIn(shape.path)) {
    const other = askedFields.find((fields) => fields.length > 0 && !fields.includes(name));
    if (name === 'key') continue;
    if (!known.includes(name)) {
      const fact = `the path has {${name}}, but no call has such a field`;
      refuse([...keys, 'path'], fact, suggestion(name, known));
    } else if (!also.includes(name) && other !== undefined) {
      const fact = `the path has {${name}}, which a call by ${other.join('+')} does not have`;
      refuse([...keys, 'path'], fact, `Remove {${name}} from the path, or ${rest}.`);
    }
  }
}

function checkOperation(
  name: string,
  entry: DialectOperation,
  dialect: DialectEntries,
  refuse: Refuse,
): void {
  const keys = ['operations', name];
  const { credits, fields = {} } = entry;
  if (entry.then !== undefined && !describedCall(name).takesId) {
    const taking = listed(callsThat(({ takesId }) => takesId));
    const fact = `nothing is taken by an id in ${name}, but in ${taking}`;
    refuse([...keys, 'then'], fact, 'Leave it out.', 'name');
  }
  if (credits.found > credits.most) {
    const fact =
      `a successful answer is booked at ${credits.found} credits, ` +
      `and only ${credits.most} are reserved for it`;
    refuse([...keys, 'credits', 'found'], fact, `Write most: ${credits.found}, or more.`);
  }
  const asks =
    entry.read_back && `${entry.read_back.path}${Object.values(entry.read_back.headers ?? {}).join()}`;
  if (credits.miss !== undefined && credits.miss > credits.most) {
    const fact = `a miss is booked at ${credits.miss} credits, and only ${credits.most} are reserved for it`;
    refuse([...keys, 'credits', 'miss'], fact, `Write most: ${credits.miss}, or more.`);
  }
  checkBy(name, entry, (at, ...problem) => refuse([...keys, ...at], ...problem));
  checkProfiles(name, entry, (at, ...problem) => refuse([...keys, ...at], ...problem));
  checkGiven(name, entry, (at, ...problem) => refuse([...keys, ...at], ...problem));
  if (dialect.idempotency === undefined && asks?.includes(`{${IDEMPOTENCY_KEY}}`)) {
    const fact = `the read-back asks by {${IDEMPOTENCY_KEY}}, but no request has one`;
    refuse([...keys, 'read_back', 'path'], fact, 'Add idempotency: { header: …, valid_for: … }.');
  }
  if (!isChange(name)) return;
  if (entry.later !== undefined)
    refuse(
      [...keys, 'later'],
      `${name} changes something, and is not answered later`,
      'Leave it out.',
      'name',
    );
  const without = describedCall(name).parameters?.find((each) => fields[each] === null);
  if (without !== undefined) {
    const fact = `every ${name} has ${without}, so the vendor needs a field for it`;
    refuse([...keys, 'fields', without], fact, 'Name the field.');
  }
  // Only one change has no project: the one that makes a project.
  if (makesProject(name) || partsOf(dialect, entry).includes('{project_id}')) return;
  const fact = `no header of ${name} has {project_id}, so the service would not know which project is meant`;
  const next = 'Put {project_id} into a header, such as authorization: Bearer {project_id}:{key}.';
  refuse([...keys, 'headers'], fact, next);
}

function checkBy(name: string, { by, fields = {} }: DialectOperation, refuse: Refuse): void {
  const known = parametersOf(name) ?? [];
  if (by === undefined) {
    if (describedCall(name).parameters?.length !== 0) return;
    const next = 'Write what it takes, the surest first, as by: [profile_url, first_name+last_name+domain].';
    refuse([], `${name} has no \`by\`, so it is not known what the vendor takes`, next, 'name');
    return;
  }
  if (namesGiven(name).length === 0) {
    refuse(['by'], `${name} has no \`by\``, 'Leave it out.', 'name');
    return;
  }
  for (const [at, members] of membersOf(by).entries()) {
    const unknown = members.find((each) => !known.includes(each));
    const without = members.find((each) => fields[each] === null);
    if (unknown !== undefined)
      refuse(['by', at], `${name} has no input ${foreignName(unknown)}`, suggestion(unknown, known));
    else if (without !== undefined)
      refuse(['by', at], `it is asked by ${without}, for which the vendor has no field`, 'Name the field.');
  }
}

function checkProfiles(name: string, { profiles }: DialectOperation, refuse: Refuse): void {
  const known = parametersOf(name) ?? [];
  if (profiles === undefined || known.includes('profile_url')) return;
  refuse(['profiles'], `${name} is not asked by profiles`, 'Leave it out.', 'name');
}

/** The names of what a request of the job's own gives are the job's. */
function namesGiven(name: string, ownGives: DialectOperation['gives'] = {}): readonly string[] {
  const { gives } = describedCall(name);
  return gives === 'any' ? Object.keys(ownGives) : gives;
}

/** Checks where values stand in an answer, and the words for verdicts among them. */
function checkGiven(name: string, { gives, verdicts }: DialectOperation, refuse: Refuse): void {
  const known = namesGiven(name, gives);
  const { wants: wanted } = describedCall(name);
  const unknown = Object.keys(gives ?? {}).find((each) => !known.includes(each));
  if (unknown !== undefined) {
    const next = known.length === 0 ? 'Leave `gives` out.' : suggestion(unknown, known);
    refuse(['gives', unknown], `no answer to ${name} gives ${foreignName(unknown)}`, next, 'name');
  } else if (wanted !== undefined && gives?.[wanted] === undefined) {
    const next = `Write gives: { ${wanted}: … }, with its path in the body.`;
    refuse([], `it is not known where the ${wanted} of ${name} stands: \`gives\` lacks it`, next, 'name');
  }
  if ((verdicts !== undefined) !== (gives?.verdict !== undefined)) {
    const fact = verdicts
      ? 'there are words for verdicts, and `gives` has no `verdict`'
      : 'the answer gives a verdict, and `verdicts` does not say what its words mean';
    const next = verdicts
      ? 'Add its path.'
      : 'Write verdicts: { valid: …, accept_all: …, invalid: …, unknown: … }.';
    refuse([verdicts ? 'verdicts' : 'gives'], fact, next, 'name');
  }
  if (verdicts !== undefined) checkVerdicts(verdicts, refuse);
}

function checkVerdicts(verdicts: VerdictWords, refuse: Refuse): void {
  const words = EMAIL_VERDICTS.flatMap((each) => verdictsOf(verdicts, each));
  const twice = words.find((word, at) => words.indexOf(word) !== at);
  if (twice !== undefined)
    refuse(['verdicts'], `${foreignName(twice)} has two meanings`, 'Write each word once.', 'name');
}

// --------------------------------------------------------------------------------------------------- headers

/** @param also further names that the headers may use. */
function checkHeaders(
  headers: NamedHeaders,
  keys: readonly string[],
  also: readonly string[],
  refuse: Refuse,
): void {
  const known = [...ACCOUNT_VALUES, ...also];
  for (const [name, template] of Object.entries(headers)) {
    const unknown = placeholdersIn(template).find(
      (each) => !known.includes(each) && !isSlotBeside(each, known),
    );
    if (unknown !== undefined)
      refuse([...keys, name], `{${unknown}} has no meaning in a header here`, suggestion(unknown, known));
    if (name === 'content-type' && !/^application\/(?:[\w.+-]+\+)?json\b/i.test(template)) {
      const fact = `a body is sent as JSON, and not as ${foreignName(template)}`;
      refuse([...keys, name], fact, 'Leave it out. A vendor that takes only forms cannot be asked.');
    }
  }
}

/** A name that is nearly one of ours is that one mistyped, and no slot. */
const isSlotBeside = (name: string, known: readonly string[]): boolean =>
  isSlot(name) && nearestWord(name, known) === undefined;

function checkAuth({ auth, headers }: DialectEntries, refuse: Refuse): void {
  if (auth === undefined) return;
  const wrong = auth.basic.find((name) => name !== '' && name !== 'key' && !isSlotBeside(name, ['key']));
  if (wrong !== undefined)
    refuse(
      ['auth', 'basic'],
      `${foreignName(wrong)} is neither the key nor a slot`,
      suggestion(wrong, ['key']),
    );
  if (headers.authorization !== undefined)
    refuse(['headers', 'authorization'], '`auth` says the same', 'Keep one of them.', 'name');
}

const placeholdersIn = (template: string): readonly string[] =>
  [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
