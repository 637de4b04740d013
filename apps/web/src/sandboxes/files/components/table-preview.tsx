import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FileContent, type ShownFile } from './file-content.tsx'
import { TableGrid } from './table-grid.tsx'

const CsvTable = lazy(() => import('./csv-table.tsx').then(({ CsvTable }) => ({ default: CsvTable })))

const csvLimitBytes = 2 * 1024 * 1024
const workbookLimitBytes = 16 * 1024 * 1024

/** Separated values as a table. */
export function CsvPreview(props: ShownFile) {
  return (
    <FileContent {...props} limitBytes={csvLimitBytes}>
      {(content) => (
        <Suspense>
          <CsvTable content={content} />
        </Suspense>
      )}
    </FileContent>
  )
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
      {table.data != null && <TableGrid table={table.data} />}
    </>
  )
}
