import { render } from 'preact';
import { enter } from './session.ts';
import { Page } from './shell.tsx';

/** The page begins here: it is drawn, gets its token, then shows the view that the address names. */
const place = document.getElementById('page');
if (place !== null) {
  render(<Page />, place);
  await enter();
}
