import { type Table, tableOfRows } from './table.logic.ts'
import { openZip } from './zip-parts.ts'

/** A sheet of an Excel workbook; `read` parses its table. */
export type Sheet = { name: string; read: () => Promise<Table> }

/** The most rows that are read; more aren’t shown. */
const maximumRows = 1001
/** Days between Excel’s epoch (1900) and the Unix epoch. */
const excelEpochDays = 25_569
/** Built-in number formats that show a date or a time. */
const dateFormats = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47])

/**
 * Reads the values of an Excel workbook (`.xlsx`): texts, numbers, dates, results of formulas. Throws for anything
 * else.
 */
export async function sheetsOf(bytes: Uint8Array<ArrayBuffer>): Promise<Sheet[]> {
  const zip = openZip(bytes)
  const book = await zip.read('xl/workbook.xml')
  if (book === null) throw new TypeError('This isn’t an Excel workbook.')
  const links = new Map(
    elements((await zip.read('xl/_rels/workbook.xml.rels')) ?? '', 'Relationship').map(({ attributes }) => [
      attributes.Id ?? '',
      attributes.Target ?? '',
    ]),
  )
  const strings = elements((await zip.read('xl/sharedStrings.xml')) ?? '', 'si').map(({ inner }) => runsOf(inner))
  const isDate = datesOf((await zip.read('xl/styles.xml')) ?? '')
  return elements(book, 'sheet').map(({ attributes }) => ({
    name: decode(attributes.name ?? ''),
    read: async () => {
      const target = links.get(attributes['r:id'] ?? '') ?? ''
      const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
      return rowsOf((await zip.read(path)) ?? '', { strings, isDate })
    },
  }))
}

type Values = { strings: readonly string[]; isDate: (style: number) => boolean }

function rowsOf(xml: string, values: Values): Table {
  const rows: string[][] = []
  let isCut = false
  for (const { inner } of elements(xml, 'row')) {
    if (rows.length === maximumRows) {
      isCut = true
      break
    }
    const row: string[] = []
    for (const { attributes, inner: cell } of elements(inner, 'c')) {
      const column = columnOf(attributes.r ?? '') ?? row.length
      if (column < 1000) row[column] = textOf(cell, { ...values, attributes })
    }
    rows.push(Array.from(row, (text) => text ?? ''))
  }
  return tableOfRows(rows, isCut)
}

function textOf(cell: string, known: Values & { attributes: Record<string, string> }): string {
  const { t: type, s: style } = known.attributes
  if (type === 'inlineStr') return runsOf(cell)
  const value = decode(elements(cell, 'v')[0]?.inner ?? '')
  if (type === 's') return known.strings[Number(value)] ?? ''
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
  if (type !== undefined && type !== 'n') return value
  return value !== '' && known.isDate(Number(style ?? 0)) ? dateOf(Number(value)) : value
}

function dateOf(days: number): string {
  const at = new Date(Math.round((days - excelEpochDays) * 86_400_000))
  if (Number.isNaN(at.getTime())) return String(days)
  const text = at.toISOString()
  if (days < 1) return text.slice(11, 19)
  return Number.isInteger(days) ? text.slice(0, 10) : `${text.slice(0, 10)} ${text.slice(11, 19)}`
}

/** True for cell styles that show their number as a date. */
function datesOf(styles: string): (style: number) => boolean {
  const own = new Map(
    elements(styles, 'numFmt').map(({ attributes }) => [Number(attributes.numFmtId), attributes.formatCode ?? '']),
  )
  const used = elements(elements(styles, 'cellXfs')[0]?.inner ?? '', 'xf').map(({ attributes }) =>
    Number(attributes.numFmtId),
  )
  return (style) => {
    const format = used[style] ?? 0
    const code = own.get(format)
    if (code === undefined) return dateFormats.has(format)
    return /[dmyhs]/i.test(code.replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''))
  }
}

function columnOf(reference: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference)?.[0]
  if (letters === undefined) return undefined
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** A text may be split into runs of different formats; phonetic readings (`rPh`) are left out. */
function runsOf(xml: string): string {
  return elements(xml.replace(/<rPh\b.*?<\/rPh>/gs, ''), 't')
    .map(({ inner }) => decode(inner))
    .join('')
}

/**
 * Elements of a name, in order. Sufficient for the generated XML of workbooks, in which these elements aren’t nested in
 * each other.
 */
function elements(xml: string, name: string): { attributes: Record<string, string>; inner: string }[] {
  const found: { attributes: Record<string, string>; inner: string }[] = []
  const opening = new RegExp(`<(?:\\w+:)?${name}(\\s[^>]*?)?(/)?>`, 'g')
  const closing = new RegExp(`</(?:\\w+:)?${name}>`, 'g')
  for (let match = opening.exec(xml); match !== null; match = opening.exec(xml)) {
    const attributes = Object.fromEntries(
      [...(match[1] ?? '').matchAll(/([\w:]+)="([^"]*)"/g)].map(([, key, value]) => [key ?? '', value ?? '']),
    )
    if (match[2] === '/') {
      found.push({ attributes, inner: '' })
      continue
    }
    closing.lastIndex = opening.lastIndex
    const end = closing.exec(xml)
    found.push({ attributes, inner: xml.slice(opening.lastIndex, end?.index ?? xml.length) })
    if (end === null) break
    opening.lastIndex = closing.lastIndex
  }
  return found
}

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined)
      return { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }[String(name).toLowerCase()] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
