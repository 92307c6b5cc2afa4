/** The oldest version that the libraries run on. Tests run on the newer one that `npm install` brings. */
const NEEDED_NODE = '22.19';

/** What the command says and the library throws under a Node that is too old; else undefined. */
export function tooOld() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = NEEDED_NODE.split('.').map(Number);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `Rowonce needs Node ${NEEDED_NODE} or newer and this is Node ${process.versions.node}: install it from https://nodejs.org, then run the command again.`;
}
