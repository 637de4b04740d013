/** A table of texts. `total` counts rows that are not shown too, as far as the file was read. */
export type Table = { columns: string[]; rows: string[][]; total: number; isCut: boolean }

/** More cells than a page should hold. */
const maximumRows = 1000
const maximumColumns = 100

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
