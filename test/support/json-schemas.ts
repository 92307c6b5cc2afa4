/**
 * The JSON schemas in docs/reference/schemas, by which editors complete and check what a user writes by hand: shape and words are those of
 * the zod schemas that read it.
 */
import { z } from 'zod';
import { accountsSchema } from '../../src/client/account/accounts-file.ts';
import { dialectSchema } from '../../src/client/dialect/check.ts';
import { familyNames } from '../../src/core/families.ts';
import { jobSchema } from '../../src/job/job-schema.ts';
import { StoppedObject } from '../../src/objects/stop-object.ts';
import { meaningOf, meaningOfMember, whatIsPrinted } from './json-page.ts';

export interface JsonSchema {
  title?: string;
  description?: string;
  type?: string;
  enum?: readonly string[];
  pattern?: string;
  required?: readonly string[];
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  propertyNames?: JsonSchema;
  oneOf?: JsonSchema[];
  $schema?: string;
  $ref?: string;
  definitions?: Record<string, JsonSchema>;
}

/** What a member at a path of keys means; NAME stands for a key of the user's own. */
type Meanings = (path: string) => string | undefined;

const AGE = String.raw`^(never|\d+(\.\d+)? ?(ms|s|m|h|d))$`;
const DURATION = String.raw`^\d+(\.\d+)? ?(ms|s|m|h|d)$`;

/** What code checks and a zod schema cannot tell, by the end of the path. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/^(refresh_after|refresh_no_match_after)$/, AGE],
  [/^schedule$/, String.raw`^ *\S+( +\S+){4} *$`],
  [/\b(sure_after|valid_for|window|timeout)$/, DURATION],
  [/\b(base_url|api_call_url|regions\.(AU|EU|US))$/, '^https?://'],
];

/** Every schema as it has to be now, by the name of its file. */
export async function schemasNow(): Promise<ReadonlyMap<string, JsonSchema>> {
  const job = draft(jobSchema, 'A job of Rowonce');
  const { operation, operations } = job.properties ?? {};
  const names = await familyNames(new URL('../../src/operations/', import.meta.url));
  const [list, map] = operations?.anyOf ?? [];
  for (const named of [operation, list?.items, map?.propertyNames])
    if (named !== undefined) named.enum = names;
  const forms = [having(job, 'operation', 'string'), having(job, 'operations', 'array')];
  job.allOf = [{ anyOf: [...forms, having(job, 'operations', 'object')] }];
  return new Map([
    ['job', job],
    ['accounts', draft(accountsSchema, 'Accounts of Rowonce')],
    ['dialect', dialectFile()],
    ['output', await outputs()],
  ]);
}

/** A job that has the member. Its other names are said again, because a reader may look at this form by itself. */
function having({ properties = {} }: JsonSchema, name: string, type: string): JsonSchema {
  const names = Object.keys(properties).map((each) => [each, each === name ? { type } : {}]);
  return {
    type: 'object',
    properties: Object.fromEntries(names),
    required: [name],
    additionalProperties: false,
  };
}

/**
 * The objects that the command may print under `--json`, by name; one of its own has the command's. Any of them prints `stopped` alone
 * when it was stopped before it had anything else to say.
 */
export function objectsOf(
  command: string,
  { named, roots }: Awaited<ReturnType<typeof whatIsPrinted>>,
): readonly (readonly [name: string, schema: z.ZodType])[] {
  const schema = roots[command] ?? z.never();
  const forms = schema instanceof z.ZodUnion ? (schema.options as readonly z.ZodType[]) : [schema];
  const names = new Map(Object.entries(named).map(([name, object]) => [object, name]));
  return forms.map((form) => [names.get(form) ?? command, form]);
}

/** Each object is a definition, and each command says which of them it prints. */
async function outputs(): Promise<JsonSchema> {
  const printed = await whatIsPrinted();
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(printed.named)) registry.add(schema, { id });
  const commands = Object.keys(printed.roots).map((command) => {
    const forms = [...objectsOf(command, printed), ['StoppedObject', StoppedObject] as const];
    return [command, z.union(forms.map(([, schema]) => schema))] as const;
  });
  for (const [id, schema] of commands) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { ...DRAFT, uri: (id) => `#/definitions/${id}` });
  const definitions = Object.entries(schemas).map(([name, { $schema: _, $id: _id, ...json }]) => {
    const isObject = printed.named[name] !== undefined;
    const meanings: Meanings = (path) => (isObject && meaningOfMember(name, path)) || undefined;
    return [name, drafted(json, isObject ? meaningOf(name) : '', meanings)] as const;
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'What Rowonce prints under --json, by command',
    definitions: Object.fromEntries(definitions),
  };
}

const DRAFT = { io: 'input', unrepresentable: 'any', target: 'draft-7' } as const;

/**
 * Draft 7, which every editor knows, without the Unicode classes that some do not. What the file may hold is meant, not
 * what is made of it.
 */
function draft(schema: z.ZodType, title: string, meanings: Meanings = () => undefined): JsonSchema {
  return drafted(z.toJSONSchema(schema, DRAFT), title, meanings);
}

function drafted(json: object, title: string, meanings: Meanings): JsonSchema {
  const text = JSON.stringify(json).replaceAll(String.raw`\\P{Cc}`, String.raw`[^\\x00-\\x1f\\x7f-\\x9f]`);
  const schema = { ...(title && { title }), ...(JSON.parse(text) as JsonSchema) };
  describeMembers(schema, '', meanings);
  return schema;
}

function describeMembers(schema: JsonSchema, path: string, meanings: Meanings): void {
  const { properties = {}, additionalProperties, items, anyOf = [], oneOf = [] } = schema;
  for (const [key, member] of Object.entries(properties)) {
    const description = meanings(path + key);
    if (description !== undefined) member.description = description;
    const pattern = PATTERNS.find(([pathEnd]) => pathEnd.test(path + key))?.[1];
    if (pattern !== undefined) member.pattern = pattern;
    describeMembers(member, `${path}${key}.`, meanings);
  }
  for (const form of [items, ...anyOf, ...oneOf]) if (form) describeMembers(form, path, meanings);
  if (typeof additionalProperties === 'object') {
    describeMembers(additionalProperties, `${path}NAME.`, meanings);
  }
}

/** What differs from the built-in dialect: none of the entries is needed, and `null` takes a header or a place away. */
function dialectFile(): JsonSchema {
  const dialect = draft(dialectSchema, 'A dialect of Rowonce');
  const loosen = (schema: JsonSchema, name: string): void => {
    const { properties = {}, additionalProperties, anyOf = [] } = schema;
    const isWhole = /^(?:answers|repeated|accepted)$/.test(name);
    if (isWhole) return;
    delete schema.required;
    for (const [each, member] of Object.entries(properties)) {
      loosen(member, each);
      if (name !== 'answer') continue;
      const { type: _, ...others } = member;
      properties[each] = { ...others, anyOf: [{ type: 'string' }, { type: 'null' }] };
    }
    if (typeof additionalProperties === 'object') {
      loosen(additionalProperties, 'NAME');
      if (name === 'headers')
        schema.additionalProperties = { anyOf: [additionalProperties, { type: 'null' }] };
    }
    for (const form of anyOf) loosen(form, name);
  };
  loosen(dialect, '');
  return dialect;
}
