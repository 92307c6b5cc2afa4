/**
 * Mail programs and chats in a browser: their addresses are messages. Behind `#` stands where they were seen.
 */
export const MAIL_PROGRAMS = `
  # links that were copied from an open message
  outlook.office.com outlook.office365.com outlook.live.com outlook.cloud.microsoft outlook.com mail.google.com
  inbox.google.com mail.yahoo.com mail.aol.com mail.proton.me mail.protonmail.com app.fastmail.com fastmail.com
  mail.zoho.* mail.yandex.* e.mail.ru mail.163.com mail.qq.com webmail.bigpond.com mail.tutanota.com app.tuta.com
  app.hey.com mail.superhuman.com navigator.gmx.net navigator.web.de icloud.com/mail app.frontapp.com
  app.missiveapp.com teams.microsoft.com teams.live.com app.slack.com web.whatsapp.com chat.google.com
`;
