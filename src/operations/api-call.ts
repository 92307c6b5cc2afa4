import { hash } from 'node:crypto';
import { canonicalJson } from '../core/call-key.ts';
import { type CallDescription, unoffered } from '../core/described.ts';
import { stop } from '../core/errors.ts';
import { answerFacts, finding, NO_FINDINGS, refusedBy, together } from '../core/finding.ts';
import type { Team } from '../core/membership.ts';
import { present } from '../core/objects.ts';
import {
  type Answered,
  askOnce,
  type Call,
  defineOperation,
  end,
  type JsonObject,
  METHODS,
  type Method,
  type NextAction,
  type Operation,
  type OperationOptions,
  type PlannedWork,
  type Prepared,
  type RowInput,
  send,
} from '../core/operation.ts';
import { foreignName } from '../core/plain-text.ts';
import { KEY_PLACE, keysIn, leadsElsewhere, pathProblem } from '../core/vendor-path.ts';
import {
  columnInput,
  columnsIn,
  PLACEHOLDER,
  templateProblem,
  withoutBlanks,
} from './lookup/cell-template.ts';
import { readText } from './team/change-inputs.ts';

/**
 * Any operation of the vendor that has no operation of its own here. The job says what is sent, and the row
 * fills it in. A read is shared and bought once like any other. A change is sent once for each different
 * body.
 */

interface Shape {
  readonly method: Method;
  readonly endpoint: string;
  readonly body: JsonObject;
}

interface RowRequest {
  readonly request: Shape;
  readonly creditsMost?: number;
  /** The columns of the path and the members of the body, as `_matched_by` shows them. */
  readonly by: string;
}

interface ChangeWork extends PlannedWork, RowRequest {
  readonly after: number;
  /** The batch in which the same request was answered before. */
  readonly doneBy?: string;
}

const NEEDED = 'Write it into a job: endpoint: /…, and body: with {{Column}} where a cell belongs.';

const READ: CallDescription = {
  parameters: undefined,
  together: [],
  folded: [],
  gives: 'any',
  wants: undefined,
  takesId: false,
  finds: undefined,
  isAbout: undefined,
  erased: 'in_lists',
  changes: undefined,
  bringsRequest: true,
};

/** No job has said yet what is sent, so this is the operation of the simplest job. */
export default defineOperation(
  operationOf({ method: 'POST', endpoint: '/', body: { column: '{{column}}' } }),
);

function operationOf(shape: Shape): Operation<RowRequest> {
  const columns = [...new Set([...columnsIn(shape.endpoint), ...columnsIn(shape.body)])];
  return {
    name: 'api-call',
    summary: 'Send a request of your own for each row: any other operation of the vendor.',
    vendor: 'provider',
    described: unoffered('api call', {
      'api-call': READ,
      'api-call-change': { ...READ, gives: [], erased: 'values', changes: 'anything' },
    }),
    inputs: columns.map((column) => columnInput(column, "named as in the job's endpoint or body")),
    tiers: [],
    settings: {
      method: 'asks',
      endpoint: 'asks',
      body: 'asks',
      kind: 'asks',
      gives: 'allows',
      credits_max: 'allows',
    },
    resultsFile: 'results',
    shapedBy: shapedCall,
    preparer: (options) => (row) => prepareCall(shape, columns, row, options),
    next: (input, answered) =>
      askOnce(callOf('api-call', input), answered, input.by, finding('vendor_found_nothing', {})),
  };
}

/**
 * The methods of the published tool step that may read. Many vendors look things up by a POST; no one does so
 * by another method.
 */
const READING: readonly Method[] = ['GET', 'POST'];

function shapedCall(settings: JsonObject): Operation {
  const { endpoint, body = {} } = settings;
  if (endpoint === undefined)
    throw stop('job', 'api-call needs an `endpoint`, which only a job can have.', NEEDED);
  const wrong =
    typeof endpoint === 'string'
      ? (templateProblem(endpoint) ?? pathProblem(endpoint, FILLED))
      : 'it must be text';
  if (typeof endpoint !== 'string' || wrong !== undefined) {
    const fact =
      `endpoint: ${foreignName(typeof endpoint === 'string' ? endpoint : JSON.stringify(endpoint))} is ` +
      `not a path: ${wrong}.`;
    const next = "Write the path that follows the account's address, such as /companies/{{Id}}/tag.";
    throw stop('job', fact, next);
  }
  const method = METHODS.find((each) => each === settings.method) ?? 'POST';
  const shape: Shape = { method, endpoint, body: body as JsonObject };
  const problem = templateProblem(shape.body);
  if (problem !== undefined) throw stop('job', `body: ${problem}.`, 'Write a column as {{Column}}.');
  const creditsMost = typeof settings.credits_max === 'number' ? settings.credits_max : undefined;
  const operation = { ...operationOf(shape), ...present({ creditsMost }) };
  const mayRead = READING.includes(method);
  const { kind = mayRead ? 'read' : 'change' } = settings;
  if (kind === 'change') return changeOf(operation);
  if (mayRead) return defineOperation(operation);
  throw stop(
    'job',
    `api-call: a read is a GET or a POST, and this job sends ${method}.`,
    'Take `kind` out of the job: then it is a change, and you agree to its plan.',
  );
}

function changeOf({ next: _, resultsFile: _results, ...operation }: Operation<RowRequest>): Operation {
  return defineOperation<RowRequest, ChangeWork>({
    ...operation,
    change: { isState: false, resolve: (input, team) => ({ kind: 'ready', input: planned(input, team) }) },
    next: nextOfChange,
  });
}

function prepareCall(
  { method, endpoint, body }: Shape,
  columns: readonly string[],
  row: RowInput,
  { settings }: OperationOptions,
): Prepared<RowRequest> {
  const path = filledEndpoint(endpoint, row);
  if (path.kind === 'invalid') return path;
  const inPath = columnsIn(endpoint);
  const isBlank = columns.every((column) => (row[column] ?? '').trim() === '');
  if (columns.length > 0 && isBlank)
    return { kind: 'invalid', findings: finding('nothing_to_send', { columns: [...columns] }) };
  const filled = withoutBlanks(body, row);
  if (keysIn([path.input, filled]) > keysIn([endpoint, body]))
    return { kind: 'invalid', findings: finding('cells_make_key', {}) };
  const creditsMost = settings?.credits_max;
  return {
    kind: 'ready',
    input: {
      request: { method, endpoint: path.input, body: filled },
      ...(typeof creditsMost === 'number' ? { creditsMost } : {}),
      by: [...inPath, ...Object.keys(filled)].join('+'),
    },
  };
}

function callOf(operation: 'api-call' | 'api-call-change', { request, creditsMost }: RowRequest): Call {
  // It is not known whether a request of the job's own may be sent twice.
  return present({ operation, parameters: { ...request }, ifLost: 'hold', creditsMost });
}

// ------------------------------------------------------------------------------------------------ the path

/**
 * The path of a call, in which `{{Column}}` stands for a row's cell. A cell is percent-encoded, so it never
 * ends a segment, a path or a query. Some servers decode a path before they resolve it, so no segment may
 * become `.` or `..` by decoding either.
 */

const FILLED = new RegExp(`(?:${PLACEHOLDER.source}|${KEY_PLACE.source})`, 'g');

function filledEndpoint(endpoint: string, cells: RowInput): Prepared<string> {
  const read = columnsIn(endpoint).map((name) => readText(name, cells[name]));
  const problems = read.flatMap((each) => (each.kind === 'invalid' ? [each.findings] : []));
  if (problems.length > 0) return { kind: 'invalid', findings: together(...problems) };
  const filled = endpoint.replaceAll(PLACEHOLDER, (_, name: string) =>
    encodeURIComponent((cells[name] ?? '').trim()),
  );
  return leadsElsewhere(filled)
    ? { kind: 'invalid', findings: finding('path_leads_elsewhere', { path: filled }) }
    : { kind: 'ready', input: filled };
}

// ------------------------------------------------------------------------------------------------ changing

function planned(input: RowRequest, team: Team): ChangeWork {
  const { method, endpoint, body } = input.request;
  const subject = { name: `call:${hash('sha256', canonicalJson([method, endpoint, body]), 'hex')}` };
  const known = team.find(subject);
  const isDone = known?.facts?.state === 'done' && known.doubt === undefined;
  return {
    ...input,
    subject,
    to: 'done',
    after: known?.sequence ?? 0,
    ...(isDone ? { from: 'done', doneBy: known.batch ?? 'an earlier one' } : {}),
  };
}

function nextOfChange(work: ChangeWork, answered: Answered): NextAction {
  if (work.doneBy !== undefined) {
    return end({ kind: 'unchanged', findings: finding('done_before', { batch: work.doneBy }) });
  }
  const change = { subject: work.subject, leaves: { state: 'done' }, atStake: 'may be done' } as const;
  const call: Call = { ...callOf('api-call-change', work), after: work.after, change };
  const answer = answered(call);
  if (answer === undefined) return send(call);
  if (answer.kind === 'found') return end({ kind: 'applied', findings: NO_FINDINGS });
  const { findings = NO_FINDINGS } = answer;
  const why =
    answer.kind === 'no_match' ? finding('vendor_lacks_it', answerFacts(findings)) : refusedBy('', findings);
  return end({ kind: 'refused', findings: why });
}
