import type { DoubtView } from './ledger-view.ts';
import type { Ended } from './program.ts';
import type { TeamWorkplace } from './team-workplace.ts';
import type { VendorTeam } from './vendor-team.ts';
import type { Order } from './workplace.ts';

/** What a person does about doubts who can look at the service: says what has happened there, or has it sent again. */

/** A vendor that loses nothing any more leaves one round; a doubt that this does not end is a bug. */
const MOST_ROUNDS = 4;

/** Types the command, and settles what is in doubt, until nothing is. @returns how the last run ended. */
export async function runToTheEnd(team: TeamWorkplace, order: Order = {}): Promise<Ended> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const ended = await team.runHere(order);
    if (ended.code !== 0 && ended.code !== 3) throw new Error(`ended with ${ended.code}: ${ended.stderr}`);
    if ((await settleByHand(team)) === 0) return ended;
  }
  throw new Error(`in doubt after ${MOST_ROUNDS} rounds: ${JSON.stringify(team.place.ledger().doubts)}`);
}

/**
 * Decides about every call in doubt of the store.
 * @param ifNotDone what is typed where the service did nothing. @returns how many there were.
 */
export async function settleByHand(
  team: TeamWorkplace,
  ifNotDone: '--retry' | '--not-done' = '--retry',
): Promise<number> {
  const { place } = team;
  const { doubts } = place.ledger();
  const state = await team.state();
  for (const doubt of doubts) {
    const happened = answerOf(doubt, state);
    const decision = happened === undefined ? [ifNotDone] : ['--answer', happened];
    const words = ['settle', doubt.batch, String(doubt.row), ...decision];
    const { stdout, stderr } = await place.typeHere([...words, '--store', place.path('store'), '--json']);
    if (!/"calls":1\b/.test(stdout)) throw new Error(`settle said ${stdout}${stderr}`);
  }
  return doubts.length;
}

/** What the service would have answered, had the answer not been lost; undefined where it did nothing. */
function answerOf({ operation, project, parameters }: DoubtView, state: VendorTeam): string | undefined {
  const { email = '', role = '', name = '' } = parameters;
  switch (operation) {
    case 'create-invite': {
      if (project === undefined || state.standing(project, email)?.role !== role) return undefined;
      return `invite_code=${state.inviteCode(project, email, role)}`;
    }
    case 'create-project': {
      const made = state.projects.find((each) => each.name === name);
      return made && `project_id=${made.project}`;
    }
    case 'delete-invite':
      return state.isWaiting(parameters.invite_code ?? '') ? undefined : 'done=yes';
    default:
      return undefined;
  }
}
