/**
 * The JSON schemas in docs/schemas, by which editors complete and check what a user writes by hand: shape and words are those of
 * the zod schemas that read it.
 */
import { z } from 'zod';
import { accountsSchema } from '../src/client/account/accounts-file.ts';
import { dialectSchema } from '../src/client/dialect/check.ts';
import { familyNames } from '../src/core/family.ts';
import { jobSchema } from '../src/job/job.ts';
import { BatchListObject, BatchStatusObject } from '../src/objects/batch-object.ts';
import { ListDescription } from '../src/objects/list-object.ts';
import { PlanObject, UndoPlanObject } from '../src/objects/plan-object.ts';
import { DoubtListObject, RowObject } from '../src/objects/row-object.ts';
import { RunObject, SweepObject, UndoObject } from '../src/objects/run-object.ts';
import { StoppedObject } from '../src/objects/stop-object.ts';
import { TrialObject } from '../src/objects/trial-object.ts';
import { meaningOf, meaningOfMember } from './json-page.ts';

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
  const names = await familyNames(new URL('../src/operations/', import.meta.url));
  for (const named of [operation, operations?.items]) if (named !== undefined) named.enum = names;
  job.allOf = [{ anyOf: [having(job, 'operation', 'string'), having(job, 'operations', 'array')] }];
  return new Map([
    ['job', job],
    ['accounts', draft(accountsSchema, 'Accounts of Rowonce')],
    ['dialect', dialectFile()],
    ['output', outputs()],
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
 * What commands print under `--json`, by name; where there are several, it depends on the arguments. Any of them prints
 * `stopped` alone when it was stopped before it had anything else to say.
 */
export const OUTPUTS = {
  run: { RunObject },
  plan: { ListDescription, PlanObject },
  status: { BatchListObject, BatchStatusObject, RowObject },
  settle: { DoubtListObject },
  nightly: { SweepObject },
  undo: { UndoObject, UndoPlanObject },
  try: { TrialObject },
} as const satisfies Readonly<Record<string, Readonly<Record<string, z.ZodType>>>>;

/** Each object is a definition, and each command says which of them it prints. */
function outputs(): JsonSchema {
  const objects = Object.entries(
    Object.assign({ StoppedObject }, ...Object.values(OUTPUTS)) as Record<string, z.ZodType>,
  );
  const definitions = objects.map(([name, schema]) => {
    const meanings: Meanings = (path) => meaningOfMember(name, path) || undefined;
    const { $schema: _, ...definition } = draft(schema, meaningOf(name), meanings);
    return [name, definition] as const;
  });
  const commands = Object.entries(OUTPUTS).map(([command, printed]) => {
    const anyOf = [...Object.keys(printed), 'StoppedObject'].map((name) => ({
      $ref: `#/definitions/${name}`,
    }));
    return [command, { anyOf }] as const;
  });
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'What Rowonce prints under --json, by command',
    definitions: Object.fromEntries([...definitions, ...commands]),
  };
}

/**
 * Draft 7, which every editor knows, without the Unicode classes that some do not. What the file may hold is meant, not
 * what is made of it.
 */
function draft(schema: z.ZodType, title: string, meanings: Meanings = () => undefined): JsonSchema {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', target: 'draft-7' });
  const text = JSON.stringify(json).replaceAll(String.raw`\\P{Cc}`, String.raw`[^\\x00-\\x1f\\x7f-\\x9f]`);
  const drafted = { title, ...(JSON.parse(text) as JsonSchema) };
  describeMembers(drafted, '', meanings);
  return drafted;
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
    const isWhole = /^(?:answers|repeated|paging|accepted)$/.test(name);
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
