import type { NoticeEntry } from '@threadbox/sdk'
import { Download, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { useClient } from '../../../page/client/client.ts'
import { useNow } from '../../../page/client/use-now.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { useThreadActions } from '../../../page/thread/state/thread-context.ts'
import { Button } from '../../../ui/button.tsx'
import { useChangeSandbox } from '../api/sandbox.queries.ts'
import { numberOf } from '../state/notice.logic.ts'
import { NoticeLine } from './notice-line.tsx'

/** The files will be removed: offers to keep them forever in this thread, or to download them. */
export function RetentionNotice(props: { notice: NoticeEntry }) {
  const { t, i18n } = useTranslation('lifecycle')
  const client = useClient()
  const { threadId } = useThreadActions()
  const change = useChangeSandbox(threadId)
  const showError = useErrorToast()
  const now = useNow(60_000)
  const removedAt = numberOf(props.notice.params, 'removedAt')
  const title =
    removedAt === undefined
      ? t('notice.retentionPlain')
      : t('notice.retention', { when: relativeTime(removedAt, { now, locale: i18n.language }) })
  return (
    <NoticeLine icon={<TriangleAlert className="i" size={16} />} title={title} rest={t('notice.retentionText')}>
      {change.isSuccess ? (
        <span role="status">{t('notice.kept')}</span>
      ) : (
        <Button
          size="sm"
          variant="primary"
          isLoading={change.isPending}
          onClick={() => change.mutate({ policy: { retentionDays: 0 } }, { onError: showError })}
        >
          {change.isPending ? t('notice.keeping') : t('notice.keep')}
        </Button>
      )}
      <a className="btn btn--sm" href={client.files.archiveUrl(threadId, '/home/user')} download>
        <Download className="i" size={14} aria-hidden="true" />
        {t('notice.download')}
      </a>
    </NoticeLine>
  )
}
