/** A table as values, such as a data frame whose HTML was parsed. */
export type HtmlTable = { headers: string[][]; rows: { cells: string[]; isHeader: boolean[] }[]; note: string | null }

/** More cells would be too many for a page; such a table is shown in its frame. */
const maximumCells = 20_000

/**
 * Parses HTML that is one plain table and nothing else, as of data frames. Null for anything more, which belongs in a
 * sandboxed frame. Only texts are used, never markup.
 */
export function tableOfHtml(html: string): HtmlTable | null {
  const document = new DOMParser().parseFromString(html, 'text/html')
  for (const style of document.querySelectorAll('style')) style.remove()
  const tables = document.querySelectorAll('table')
  const table = tables[0]
  if (table === undefined || tables.length > 1) return null
  if (document.querySelector('script, iframe, img, svg, canvas, form, input, button, video, audio, object') !== null) {
    return null
  }
  if (table.querySelector('[colspan]:not([colspan="1"]), [rowspan]:not([rowspan="1"])') !== null) return null
  const rows = [...table.querySelectorAll('tr')]
  if (rows.length * (rows[0]?.children.length ?? 0) > maximumCells) return null
  const textOf = (cell: Element) => cell.textContent?.trim() ?? ''
  const isHead = (row: Element) =>
    row.closest('thead') !== null || ![...row.children].some((cell) => cell.tagName === 'TD')
  table.remove()
  const note = document.body.textContent?.trim() ?? ''
  if (note.length > 200) return null
  return {
    headers: rows.filter(isHead).map((row) => [...row.children].map(textOf)),
    rows: rows
      .filter((row) => !isHead(row))
      .map((row) => ({
        cells: [...row.children].map(textOf),
        isHeader: [...row.children].map((cell) => cell.tagName === 'TH'),
      })),
    note: note === '' ? null : note,
  }
}
