import type { JsonMembers } from '../../src/sandbox/json.ts';
import type { ControlReply, Vendors } from '../../src/sandbox/vendors.ts';
import type { Tampering } from './tampering.ts';

const DONE: ControlReply = { status: 200, body: {} };

/**
 * What a test asks of the sandbox and does to it under `/sandbox`, without a key. With a book all of it but faults, match
 * rate and date is there again after the sandbox was killed. StopErrors of what it sets in motion are the caller's to show.
 */
export function control(
  vendors: Vendors,
  tampering: Tampering,
  endpoint: string,
  body: JsonMembers,
): ControlReply | undefined {
  switch (endpoint) {
    case 'GET /sandbox/state':
      return { status: 200, body: tampering.all(vendors.registrar.state) };
    // The person accepts every invite that waits for them.
    case 'POST /sandbox/accept':
      return withTexts(body, ['email'], ([email = '']) => tampering.accept(vendors, email.toLowerCase()));
    case 'POST /sandbox/faults':
      return withTexts(body, ['faults'], ([faults = '']) => vendors.setFaults(faults));
    // The key stops working altogether.
    case 'POST /sandbox/revoke':
      return withTexts(body, ['key'], ([key = '']) => tampering.revoke(vendors, key));
    // The key goes on working, but has no Admin permission on the project any more.
    case 'POST /sandbox/remove-admin':
      return withTexts(body, ['project', 'key'], ([project = '', key = '']) =>
        tampering.removeAdmin(vendors, project, key),
      );
    default:
      return undefined;
  }
}

function withTexts(
  body: JsonMembers,
  names: readonly string[],
  act: (texts: readonly string[]) => void,
): ControlReply {
  const missing = names.find((name) => typeof body[name] !== 'string');
  if (missing !== undefined) return refused(`"${missing}" must be a string.`);
  act(names.map((name) => String(body[name])));
  return DONE;
}

function refused(error: string): ControlReply {
  return { status: 400, body: { error } };
}
