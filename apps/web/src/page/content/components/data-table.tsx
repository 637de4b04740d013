import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ScrollBox } from '../../../ui/scroll-box.tsx'
import { useFormat } from '../../client/use-format.ts'
import type { HtmlTable } from '../state/html-table.ts'

const firstRows = 8

/** A table of values: the first rows, then all of them on request. */
export function DataTable(props: { table: HtmlTable }) {
  const { t } = useTranslation('cards')
  const format = useFormat()
  const [showsAll, setShowsAll] = useState(false)
  const { headers, rows, note } = props.table
  const shown = showsAll ? rows : rows.slice(0, firstRows)
  return (
    <div className="df-box">
      <ScrollBox className="df-scroll" label={t('table')}>
        <table className="df">
          <thead>
            {headers.map((cells, row) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a value have no identity but their place
              <tr key={row}>
                {cells.map((text, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the same
                  <th key={column} scope="col">
                    {text}
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody>
            {shown.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same
              <tr key={index}>
                {row.cells.map((text, column) =>
                  row.isHeader[column] === true ? (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the same
                    <th key={column} scope="row">
                      {text}
                    </th>
                  ) : (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the same
                    <td key={column}>{text}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      <div className="df-foot">
        {note ??
          (rows.length > shown.length
            ? t('rowsOf', { shown: format.number(shown.length), count: rows.length, total: format.number(rows.length) })
            : t('rows', { count: rows.length, total: format.number(rows.length) }))}
        {rows.length > firstRows && (
          <>
            {' · '}
            <button type="button" className="link" onClick={() => setShowsAll(!showsAll)}>
              {showsAll ? t('showLess') : t('showAllRows')}
            </button>
          </>
        )}
      </div>
    </div>
  )
}
