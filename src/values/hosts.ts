import { wordsIn } from '../core/plain-text.ts';
import { type Unusable, unusable } from './reading.ts';

/**
 * Hosts that many share, so that a cell with such a host does not say which company is meant. Looking the
 * host up would find the company that runs it, and be charged. Subdomains count as their host.
 *
 * These are short lists of our own, on purpose. The published lists are made for refusing sign-ups: they hold
 * thousands of throw-away names, and companies such as `telstra.com` because their customers have mailboxes
 * there; and each of their releases would change what an unfinished batch buys.
 */

/**
 * Hosts of mailboxes: first the large ones of the world, then access providers of Australia and New Zealand.
 */
const MAIL_HOSTS = `
  gmail.com googlemail.com outlook.com outlook.com.au outlook.co.nz hotmail.com hotmail.com.au hotmail.co.nz
  hotmail.co.uk live.com live.com.au live.co.uk msn.com windowslive.com yahoo.com yahoo.com.au yahoo.co.nz
  yahoo.co.uk ymail.com rocketmail.com icloud.com me.com mac.com aol.com aim.com proton.me protonmail.com
  pm.me fastmail.com fastmail.com.au fastmail.fm hushmail.com tutanota.com tuta.io zohomail.com
  zohomail.com.au mail.com email.com gmx.com gmx.net gmx.de web.de yandex.com yandex.ru mail.ru qq.com
  163.com 126.com naver.com comcast.net btinternet.com virginmedia.com inbox.com rediffmail.com

  bigpond.com bigpond.com.au bigpond.net.au bigpond.net bigpond.au optusnet.com.au iinet.net.au tpg.com.au
  westnet.com.au internode.on.net dodo.com.au aapt.net.au adam.com.au ozemail.com.au netspace.net.au
  iprimus.com.au primusonline.com.au exemail.com.au skymesh.com.au chariot.net.au hotkey.net.au
  picknowl.com.au aanet.com.au ozonline.com.au alphalink.com.au virginbroadband.com.au activ8.net.au
  xtra.co.nz slingshot.co.nz orcon.net.nz clear.net.nz paradise.net.nz ihug.co.nz inspire.net.nz snap.net.nz
  actrix.co.nz kinect.co.nz
`;

/**
 * Networks, blogs under one roof, link pages, short links, documents and forms, events, donations,
 * directories.
 */
const PAGE_HOSTS = `
  facebook.com fb.com fb.me m.me instagram.com threads.net linkedin.com lnkd.in twitter.com x.com t.co
  youtube.com youtu.be tiktok.com pinterest.com pinterest.com.au whatsapp.com wa.me t.me vimeo.com flickr.com
  medium.com substack.com patreon.com wikipedia.org
  linktr.ee linkin.bio beacons.ai bio.link campsite.bio about.me carrd.co lnk.bio
  bit.ly tinyurl.com ow.ly goo.gl g.page
  sites.google.com docs.google.com drive.google.com maps.google.com forms.gle
  meetup.com eventbrite.com eventbrite.com.au trybooking.com humanitix.com
  gofundme.com mycause.com.au givenow.com.au givealittle.co.nz
  yellowpages.com.au whitepages.com.au truelocal.com.au hotfrog.com.au localsearch.com.au startlocal.com.au
  yelp.com yelp.com.au yellow.co.nz finda.co.nz
`;

const CODES = new Map([
  ...wordsIn(MAIL_HOSTS).map((host) => [host, 'mailbox_host'] as const),
  ...wordsIn(PAGE_HOSTS).map((host) => [host, 'pages_host'] as const),
]);

/**
 * The reason against taking this host for one company's own; undefined when there is none. A host counts when
 * it or one of its parents is listed: `au.linkedin.com` counts, `notlinkedin.com` does not.
 */
export function sharedHost(host: string): Unusable | undefined {
  let name = host;
  for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.')) {
    const code = CODES.get(name);
    if (code !== undefined) return unusable(code, host);
    name = name.slice(dot + 1);
  }
  return undefined;
}
