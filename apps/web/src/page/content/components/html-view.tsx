import { type ReactNode, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { tableOfHtml } from '../state/html-table.ts'
import { DataTable } from './data-table.tsx'

/**
 * HTML from a cell. A plain table becomes a table of this page. Other HTML is shown in a frame without this page’s
 * origin: it can access neither the session nor the conversation.
 */
export function HtmlView(props: {
  html: string | undefined
  address: string | undefined
  /** Shown instead of the frame. */
  fallback?: ReactNode
}) {
  const { t } = useTranslation('cards')
  const table = useMemo(() => (props.html === undefined ? null : tableOfHtml(props.html)), [props.html])
  if (table !== null) return <DataTable table={table} />
  if (props.fallback !== undefined) return <>{props.fallback}</>
  return <iframe className="frame-html" sandbox="allow-scripts" src={props.address} title={t('htmlTitle')} />
}
