/**
 * Hosts of mailboxes for anybody: an address at one says nothing about a company. `yahoo.*` is that name
 * under any public suffix. Behind `#` stands where the hosts below it were seen.
 *
 * The list is our own. Published lists are made for refusing sign-ups: they hold thousands of throw-away
 * names, and companies such as `telstra.com` because their customers have mailboxes there, and they lack
 * some forty of these.
 */
export const MAILBOXES = `
  # addresses of people in lists of all countries
  gmail.com googlemail.com outlook.com outlook.com.au outlook.co.nz outlook.fr outlook.de outlook.es outlook.jp
  outlook.com.br hotmail.* live.com live.com.au live.co.uk live.nl live.fr live.ca live.jp msn.com
  windowslive.com yahoo.* ymail.com rocketmail.com icloud.com me.com mac.com aol.com aol.de aol.co.uk aim.com
  proton.me protonmail.com protonmail.ch pm.me fastmail.com fastmail.com.au fastmail.fm hushmail.com
  tutanota.com tutanota.de tutamail.com tuta.io zohomail.com zohomail.com.au zohomail.in mail.com email.com
  inbox.com duck.com rediffmail.com

  # addresses of people in lists of Australia and New Zealand: access providers
  bigpond.com bigpond.com.au bigpond.net.au bigpond.net bigpond.au optusnet.com.au iinet.net.au tpg.com.au
  westnet.com.au internode.on.net dodo.com.au aapt.net.au adam.com.au ozemail.com.au netspace.net.au
  iprimus.com.au primusonline.com.au exemail.com.au skymesh.com.au chariot.net.au hotkey.net.au
  picknowl.com.au aanet.com.au ozonline.com.au alphalink.com.au virginbroadband.com.au activ8.net.au
  xtra.co.nz slingshot.co.nz orcon.net.nz clear.net.nz paradise.net.nz ihug.co.nz inspire.net.nz snap.net.nz
  actrix.co.nz kinect.co.nz

  # addresses of people in lists of Europe
  gmx.* web.de t-online.de freenet.de arcor.de bluewin.ch chello.at aon.at wanadoo.fr orange.fr free.fr
  laposte.net sfr.fr neuf.fr libero.it virgilio.it tiscali.it alice.it btinternet.com btopenworld.com
  virginmedia.com ntlworld.com blueyonder.co.uk talktalk.net tiscali.co.uk skynet.be telenet.be hetnet.nl
  planet.nl ziggo.nl kpnmail.nl home.nl seznam.cz wp.pl o2.pl onet.pl interia.pl abv.bg ukr.net sapo.pt
  telefonica.net eircom.net yandex.* mail.ru bk.ru list.ru inbox.ru rambler.ru

  # addresses of people in lists of the Americas
  comcast.net verizon.net att.net sbcglobal.net bellsouth.net cox.net charter.net earthlink.net optonline.net
  sympatico.ca uol.com.br bol.com.br terra.com.br ig.com.br prodigy.net.mx

  # addresses of people in lists of Asia
  qq.com foxmail.com 163.com 126.com yeah.net 139.com sina.com sina.cn sohu.com naver.com hanmail.net nate.com
  docomo.ne.jp ezweb.ne.jp softbank.ne.jp walla.co.il singnet.com.sg pacific.net.sg netvigator.com
`;
