/** A table of texts. `total` includes rows that aren’t shown, up to the end of the text that was read. */
export type Table = { columns: string[]; rows: string[][]; total: number; isCut: boolean }

/** More would be too many cells for a page. */
const maximumRows = 1000
const maximumColumns = 100

/** The first row contains the names of the columns. */
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
