/** A table of texts. `total` counts rows that are not shown too, as far as the file was read. */
export type Table = { columns: string[]; rows: string[][]; total: number; isCut: boolean }

/** More cells than a page should hold. */
const maximumRows = 1000
const maximumColumns = 100

/** Reads comma, semicolon or tab separated values (RFC 4180). `isCut`: the text is only the beginning of the file. */
export function tableOfCsv(text: string, isCut: boolean): Table {
  const separator = separatorOf(text)
  const rows = [...rowsOf(text.replace(/^\ufeff/, ''), separator)]
  // The last row of a part may be half a row.
  if (isCut && rows.length > 1) rows.pop()
  return tableOfRows(rows, isCut)
}

/** The first row names the columns. */
export function tableOfRows(rows: readonly string[][], isCut: boolean): Table {
  const [columns = [], ...values] = rows
  const width = Math.min(
    maximumColumns,
    Math.max(columns.length, ...values.slice(0, maximumRows).map((row) => row.length)),
  )
  const fit = (row: readonly string[]) => Array.from({ length: width }, (_, index) => row[index] ?? '')
  return {
    columns: fit(columns),
    rows: values.slice(0, maximumRows).map(fit),
    total: values.length,
    isCut: isCut || values.length > maximumRows,
  }
}

function separatorOf(text: string): string {
  const line = /^[^\r\n]*/.exec(text)?.[0] ?? ''
  const outside = line.replace(/"[^"]*"/g, '')
  const count = (separator: string) => outside.split(separator).length
  return ['\t', ';', ','].reduce((best, candidate) => (count(candidate) > count(best) ? candidate : best), ',')
}

function* rowsOf(text: string, separator: string): Generator<string[]> {
  let row: string[] = []
  let at = 0
  while (at < text.length) {
    const cell = text[at] === '"' ? quotedCell(text, at) : plainCell(text, { at, separator })
    row.push(cell.text)
    at = cell.end
    if (text[at] === separator) {
      at += 1
      if (at < text.length) continue
      row.push('')
    }
    if (text[at] === '\r' && text[at + 1] === '\n') at += 1
    at += 1
    if (row.length > 1 || row[0] !== '') yield row
    row = []
  }
}

function plainCell(text: string, from: { at: number; separator: string }): { text: string; end: number } {
  let end = from.at
  while (end < text.length && text[end] !== from.separator && text[end] !== '\n' && text[end] !== '\r') end += 1
  return { text: text.slice(from.at, end), end }
}

/** A quote that is never closed takes the rest of its line only, so that one fault does not swallow the file. */
function quotedCell(text: string, at: number): { text: string; end: number } {
  let value = ''
  let from = at + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) {
      const line = text.indexOf('\n', at)
      const end = line < 0 ? text.length : line
      return { text: text.slice(at, end), end }
    }
    value += text.slice(from, quote)
    if (text[quote + 1] !== '"') return { text: value, end: quote + 1 }
    value += '"'
    from = quote + 2
  }
}
