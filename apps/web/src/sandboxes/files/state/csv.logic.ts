import Papa from 'papaparse'
import { type Table, tableOfRows } from './table.logic.ts'

/**
 * Parses values separated by commas, semicolons or tabs (RFC 4180). `isCut`: the text is only the beginning of the
 * file.
 */
export function tableOfCsv(text: string, isCut: boolean): Table {
  // A file may mix line endings; the parser supports only one kind.
  const lines = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n')
  const rows = rowsOf(lines, separatorOf(lines)).filter((row) => row.length > 1 || row[0] !== '')
  // The last row of a part may be incomplete.
  if (isCut && rows.length > 1) rows.pop()
  return tableOfRows(rows, isCut)
}

function separatorOf(text: string): string {
  const line = /^[^\n]*/.exec(text)?.[0] ?? ''
  const outside = line.replace(/"[^"]*"/g, '')
  const count = (separator: string) => outside.split(separator).length
  return ['\t', ';', ','].reduce((best, candidate) => (count(candidate) > count(best) ? candidate : best), ',')
}

/** An unclosed quote takes only the rest of its line, so that one error doesn’t swallow the file. */
function rowsOf(text: string, delimiter: string): string[][] {
  const format = { delimiter, newline: '\n' } as const
  const { data, errors } = Papa.parse<string[]>(text, format)
  const open = errors.find(({ code }) => code === 'MissingQuotes')
  if (open?.row === undefined || open.index === undefined) return data
  const end = text.indexOf('\n', open.index)
  const cell = text.slice(open.index - 1, end < 0 ? undefined : end)
  const broken = [...(data[open.row]?.slice(0, -1) ?? []), cell]
  // After the last opening quote, none closes: the rest is parsed without quotes.
  const rest = end < 0 ? [] : Papa.parse<string[]>(text.slice(end + 1), { ...format, fastMode: true }).data
  return [...data.slice(0, open.row), broken, ...rest]
}
