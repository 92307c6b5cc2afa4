/**
 * A dialect that is proposed: by a line of curl, which says how the vendor is asked, and by two answers,
 * which say what comes back.
 */

export {
  costIn,
  foundIn,
  type Heard,
  jsonOf,
  onTrial,
  type Proposal,
  proposalFrom,
  trialDialect,
} from './proposal/answers.ts';
export { requestInCurl, shellWords } from './proposal/curl.ts';
export { exampleProblem } from './proposal/examples.ts';
export { nobodyLike } from './proposal/invented.ts';
export { laterFrom } from './proposal/later.ts';
export { draftOf, lineWithoutKey, type RequestDraft } from './proposal/request-draft.ts';
