import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { tableOfCsv } from '../state/csv.logic.ts'
import { textOf } from '../state/kinds.logic.ts'
import type { FileBytes } from './file-content.tsx'
import { TableGrid } from './table-grid.tsx'

/** Loaded with the first file that needs it, because it includes the parser. */
export function CsvTable(props: { content: FileBytes }) {
  const { t } = useTranslation('files')
  const { bytes, isWhole } = props.content
  const table = useMemo(() => {
    const text = textOf(bytes, isWhole)
    return text === null ? null : tableOfCsv(text, !isWhole)
  }, [bytes, isWhole])
  return table === null ? <p className="files-none">{t('binary')}</p> : <TableGrid table={table} />
}
