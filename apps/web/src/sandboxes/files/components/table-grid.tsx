import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import type { Table } from '../state/table.logic.ts'

export function TableGrid(props: { table: Table }) {
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
