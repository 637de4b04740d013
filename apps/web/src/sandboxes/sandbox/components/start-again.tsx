import { useTranslation } from 'react-i18next'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { useStartRescued } from '../api/sandbox.queries.ts'

/** Restarts a process that ended with the memory, with the same command line, folder and environment. */
export function RestartProcess(props: { threadId: string; restartId: string; name: string }) {
  const { t } = useTranslation('lifecycle')
  const start = useStartRescued(props.threadId)
  const showError = useErrorToast()
  if (start.isSuccess) {
    return (
      <span className="ok" role="status">
        {t('report.startedAgain')}
      </span>
    )
  }
  return (
    <Button
      size="sm"
      isLoading={start.isPending}
      aria-label={`${t('report.startAgain')}: ${props.name}`}
      onClick={() => start.mutate(props.restartId, { onError: showError })}
    >
      {start.isPending ? t('report.starting') : t('report.startAgain')}
    </Button>
  )
}
