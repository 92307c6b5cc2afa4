/** Short links, behind which nobody can see whose page it is. Behind `#` stands where they were seen. */
export const SHORTENERS = `
  # posts and mails from which a link was copied
  bit.ly bitly.com tinyurl.com ow.ly goo.gl t.co is.gd v.gd buff.ly rebrand.ly rb.gy cutt.ly shorturl.at t.ly
  tiny.cc dlvr.it hubs.ly hubs.la lnkd.in fb.me s.id short.io bl.ink trib.al ift.tt qrco.de qr.io
  youtu.be amzn.to amzn.asia spoti.fi apple.co g.co aka.ms mailchi.mp eepurl.com shorturl.com urlz.fr
`;
