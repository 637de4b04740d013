import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Skeleton } from '../../ui/skeleton.tsx'
import { LearnMore } from '../docs/docs-link.tsx'
import type { DocsPlace } from '../docs/docs-places.ts'
import { LoadFailed } from './load-failed.tsx'

/** Loaded content: placeholder rows at first, and the error if there is no earlier content to show. */
export function Loaded<Data>(props: { query: UseQueryResult<Data>; children: (data: Data) => ReactNode }) {
  const { t } = useTranslation('settings')
  const { query } = props
  if (query.data !== undefined) return props.children(query.data)
  if (query.isError) {
    return (
      <LoadFailed
        error={query.error}
        title={t('failedToLoad')}
        isRetrying={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    )
  }
  return <Skeleton rows={4} label={t('loading')} />
}

/** Loaded rows, or a sentence if there are none. */
export function LoadedRows<Item>(props: {
  query: UseQueryResult<Item[]>
  empty: string
  /** Where the documentation says what these rows are. */
  docs: DocsPlace
  row: (item: Item) => ReactNode
}) {
  return (
    <Loaded query={props.query}>
      {(list) =>
        list.length === 0 ? (
          <p className="nothing">
            {props.empty} <LearnMore to={props.docs} />
          </p>
        ) : (
          <ul className="rows">{list.map((item) => props.row(item))}</ul>
        )
      }
    </Loaded>
  )
}
