import type { Dialect, DialectOperation } from './dialect.ts';
import { invariant } from './errors.ts';
import type { Call, JsonValue } from './operation.ts';

/** What leaves for the vendor, to the byte. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** With the query; the origin is the connection's. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** What the placeholders of a dialect's headers stand for. */
export interface RequestValues {
  readonly key: string;
  readonly project_id?: string;
  readonly organization_id?: string;
}

/** The dialect's entry for a call. The operations that a dialect lacks are refused before a batch begins. */
export function dialectOperationOf(dialect: Dialect, call: Call): DialectOperation {
  const operation = dialect.operations[call.operation];
  invariant(operation !== undefined, `the dialect ${dialect.name} has no operation ${call.operation}`);
  return operation;
}

/** The request of a call: the dialect's path, headers and field names around the call's parameters. */
export function requestOf(
  dialect: Dialect,
  basePath: string,
  call: Call,
  values: RequestValues,
): HttpRequest {
  const operation = dialectOperationOf(dialect, call);
  const fields = new Map(
    Object.entries(call.parameters).map(([name, value]) => [operation.fields?.[name] ?? name, value]),
  );
  const path = basePath + fillPath(operation.path, fields);
  const headers = fillHeaders({ ...dialect.headers, ...operation.headers }, call, values);
  if (operation.method === 'GET') {
    return { method: 'GET', path: path + queryOf(fields), headers, body: undefined };
  }
  return { method: 'POST', path, headers, body: Buffer.from(JSON.stringify(Object.fromEntries(fields))) };
}

/** Moves the fields that the path names out of the body. */
function fillPath(template: string, fields: Map<string, JsonValue>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = fields.get(name);
    fields.delete(name);
    return pathSegment(name, value);
  });
}

/** One segment and no more: `.` and `..` would be resolved away by whoever reads the path, encoded or not. */
function pathSegment(name: string, value: JsonValue | undefined): string {
  invariant(
    typeof value === 'string' && value !== '' && value !== '.' && value !== '..' && !/[/\\]/.test(value),
    `the path parameter ${name} is not one path segment`,
  );
  return encodeURIComponent(value);
}

function queryOf(fields: ReadonlyMap<string, JsonValue>): string {
  const query = new URLSearchParams(
    [...fields].map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return query === '' ? '' : `?${query}`;
}

function fillHeaders(
  templates: Readonly<Record<string, string>>,
  call: Call,
  values: RequestValues,
): Record<string, string> {
  const known: Record<string, string | undefined> = {
    ...values,
    project_id: call.project ?? values.project_id,
  };
  const fill = (template: string): string =>
    template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = known[name];
      invariant(value !== undefined, `a header needs {${name}}, which this account does not have`);
      return value;
    });
  return Object.fromEntries(Object.entries(templates).map(([name, template]) => [name, fill(template)]));
}
