import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { type Table, tableOfCsv } from '../state/csv.models.ts'
import { textOf } from '../state/kinds.models.ts'
import { type FileBytes, FileContent, type ShownFile } from './file-content.tsx'

const csvLimitBytes = 2 * 1024 * 1024
const workbookLimitBytes = 16 * 1024 * 1024

/** Separated values as a table. */
export function CsvPreview(props: ShownFile) {
  return (
    <FileContent {...props} limitBytes={csvLimitBytes}>
      {(content) => <Csv content={content} />}
    </FileContent>
  )
}

function Csv(props: { content: FileBytes }) {
  const { t } = useTranslation('files')
  const { bytes, isWhole } = props.content
  const table = useMemo(() => {
    const text = textOf(bytes, isWhole)
    return text === null ? null : tableOfCsv(text, !isWhole)
  }, [bytes, isWhole])
  return table === null ? <p className="files-none">{t('binary')}</p> : <Grid table={table} />
}

/** The sheets of a workbook as tables. */
export function ExcelPreview(props: ShownFile) {
  return (
    <FileContent {...props} limitBytes={workbookLimitBytes} isAllNeeded>
      {({ bytes, version }) => <Workbook bytes={bytes} name={`${props.threadId} ${props.entry.path} ${version}`} />}
    </FileContent>
  )
}

function Workbook(props: { bytes: Uint8Array<ArrayBuffer>; name: string }) {
  const { t } = useTranslation('files')
  const [index, setIndex] = useState(0)
  const book = useQuery({
    queryKey: ['workbook', props.name],
    queryFn: async () => (await import('../state/workbook.ts')).sheetsOf(props.bytes),
    retry: false,
    gcTime: 0,
  })
  const sheets = book.data ?? []
  const sheet = sheets[index]
  const table = useQuery({
    queryKey: ['workbook', props.name, index],
    queryFn: () => sheet?.read() ?? null,
    enabled: sheet !== undefined,
    retry: false,
    gcTime: 0,
  })
  if (book.isError || table.isError) return <p className="files-none">{t('notUnderstood')}</p>
  return (
    <>
      {sheets.length > 1 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
        <div className="sheets" role="group" aria-label={t('sheets')}>
          {sheets.map(({ name }, at) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: sheets have no identity but their place
              key={at}
              type="button"
              aria-pressed={at === index}
              onClick={() => setIndex(at)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
      {table.data != null && <Grid table={table.data} />}
    </>
  )
}

function Grid(props: { table: Table }) {
  const { t } = useTranslation('files')
  const format = useFormat()
  const { columns, rows, total, isCut } = props.table
  const isText = useMemo(
    () => columns.map((_, at) => rows.some((row) => (row[at] ?? '') !== '' && !isNumber(row[at] ?? ''))),
    [columns, rows],
  )
  return (
    <>
      <ScrollBox className="viewer-b" label={t('table')}>
        <table className="df file-grid">
          <thead>
            <tr>
              <td />
              {columns.map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no identity but their place
                <th key={index} scope="col" className={isText[index] ? 'is-text' : undefined}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same for rows
              <tr key={at}>
                <th scope="row">{format.number(at + 1)}</th>
                {row.map((cell, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the same for cells
                  <td key={index} className={isText[index] ? 'is-text' : undefined}>
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <p className="viewer-foot">
        {isCut
          ? t('firstRows', { count: rows.length, shown: format.number(rows.length) })
          : t('rows', { count: total, total: format.number(total) })}
        {' · '}
        {t('columns', { count: columns.length })}
      </p>
    </>
  )
}

function isNumber(cell: string): boolean {
  return /^\s*[-+]?[\d.,]+(e[-+]?\d+)?\s*%?$/i.test(cell)
}
