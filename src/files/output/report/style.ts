/**
 * How a report looks: in its file, in the view of the page, and on one printed sheet. Both places have the
 * colours that it names; everything else is here, so that neither can look otherwise than the other.
 */
export const REPORT_STYLE = `
.a4 { display: grid; gap: 24px; max-width: 794px; margin: 0 auto; padding: 48px 56px }
.a4 header { display: grid; gap: 4px } .a4 h1 { font-size: 1.25rem; line-height: 1.3; font-weight: 600 }
.a4 :is(h2, summary) { font-size: inherit; font-weight: 600 } .a4 h2 { margin-bottom: 8px }
.a4 :is(.soft, small, th, dt) { color: var(--soft); font-weight: 400 }
.a4 .meters { display: grid; gap: 8px 12px; align-items: center }
.a4 .meters { grid-template-columns: max-content minmax(48px, 1fr) max-content }
.a4 .meters > .soft { text-align: right }
.a4 .share { display: block; overflow: hidden; width: 100%; height: 6px; border-radius: 3px }
.a4 .share { background: var(--line); fill: var(--tone, var(--green)); print-color-adjust: exact }
.a4 .none { --tone: var(--soft) } .a4 .need { --tone: var(--amber) }
.a4 .pair { display: grid; grid-template-columns: 1fr 1fr; gap: 24px 32px }
.a4 .lines { display: grid; grid-template-columns: minmax(88px, 1fr) fit-content(70%); gap: 4px 0 }
.a4 .lines > * { min-width: min-content } .a4 dd { text-align: right; padding-left: 12px }
.a4 .sum { border-top: 1px solid var(--line); padding-top: 4px; color: var(--ink); font-weight: 600 }
.a4 .rows { list-style: none }
.a4 .rows > li { display: grid; gap: 0 16px; align-items: center; min-height: 32px; padding: 4px 0 }
.a4 .rows > li { grid-template-columns: 72px minmax(min-content, 1fr) minmax(min-content, 1fr) }
.a4 .rows.of4 > li { grid-template-columns: 112px 112px minmax(min-content, 1fr) minmax(min-content, 1fr) }
.a4 .rows > li { border-top: 1px solid var(--line) } .a4 .rows > :first-child { border-top: 0 }
.a4 .rows > li > * { min-width: min-content; overflow-wrap: anywhere }
.a4 .cols { columns: 3; column-gap: 24px; font-size: .75rem; line-height: 18px; list-style: none }
.a4 .cols + p { margin-top: 8px }
.a4 table { border-collapse: collapse; width: 100% }
.a4 :is(th, td) { text-align: left; padding: 4px 16px 4px 0; vertical-align: top }
.a4 td { border-top: 1px solid var(--line) } .a4 summary { cursor: pointer }
.a4 :is(td, th).n { text-align: right; white-space: nowrap; width: 3rem }
@media (max-width: 40rem) {
  .a4 { padding: 16px } .a4 .pair { grid-template-columns: minmax(0, 1fr) } .a4 .cols { columns: 2 }
  .a4 .meters { grid-template-columns: fit-content(45%) minmax(32px, 1fr) fit-content(45%) }
  .a4 .rows > li { grid-template-columns: 72px minmax(min-content, 1fr) }
  .a4 .rows > li > :nth-child(3) { grid-column: 2 }
  .a4 .rows.of4 > li { grid-template-columns: 112px minmax(min-content, 1fr) }
  .a4 .rows.of4 > li > :first-child { grid-column: 1 / -1 }
  .a4 .rows.of4 > li > :nth-child(3) { grid-column: auto }
  .a4 .rows.of4 > li > :nth-child(4) { grid-column: 2 }
}
@page { size: A4; margin: 14mm }
@media print {
  .a4 { max-width: none; margin: 0; padding: 0; border: 0; gap: 12px; font-size: 12px; line-height: 16px }
  .a4 :is(th, td) { padding-block: 2px } .a4 .lines { gap: 2px 0 } .a4 .meters { gap: 4px 12px }
  .a4 .rows > li { min-height: 0; padding-block: 2px } .a4 .cols { font-size: 11px; line-height: 15px }
  .a4 > *, .a4 :is(tr, li) { break-inside: avoid } .a4 h2 { break-after: avoid; margin-bottom: 4px }
  .a4 > details, .a4 a { display: none }
}
`;
