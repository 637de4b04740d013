import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { queryKeys } from '../../../page/client/query-keys.ts'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { SurvivalCard } from './survival-card.tsx'

/** An earlier report, opened from the log. */
export function ReportDialog(props: { threadId: string; reportId: string; onClose: () => void }) {
  const { t } = useTranslation(['lifecycle', 'common'])
  const client = useClient()
  const { threadId, reportId } = props
  const report = useQuery({
    queryKey: queryKeys.report(threadId, reportId),
    queryFn: ({ signal }) => client.sandboxes.report(threadId, reportId, signal),
  })
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('report.title')}
      closeLabel={t('common:close')}
      className="report-dialog"
    >
      {report.data !== undefined ? (
        <SurvivalCard report={report.data} threadId={threadId} isInPane />
      ) : report.isError ? (
        <LoadFailed error={report.error} isRetrying={report.isFetching} onRetry={() => void report.refetch()} />
      ) : (
        <Skeleton rows={4} label={t('report.loading')} />
      )}
    </Dialog>
  )
}
