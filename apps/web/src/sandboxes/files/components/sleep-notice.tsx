import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SandboxView } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { homeFolder } from '../../../page/content/state/names.logic.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { renewFolder } from '../api/files.queries.ts'

/** States that end without an action. */
const passingStates = ['starting', 'waking', 'pausing', 'deleting'] as const

/** Shows why the list isn’t live, and offers to make it so. */
export function SleepNotice(props: { threadId: string; state: SandboxView['state'] }) {
  const { t } = useTranslation('files')
  const client = useClient()
  const queryClient = useQueryClient()
  const onError = useErrorToast()
  const { threadId, state } = props
  // Listing a folder also starts a sandbox that was never started.
  const wake = useMutation({
    mutationFn: () => client.files.list(threadId, homeFolder, { limit: 1 }),
    onSuccess: () => renewFolder(queryClient, threadId, null),
    onError,
  })
  const passing = passingStates.find((candidate) => candidate === state)
  return (
    <div className="files-note" role="status">
      <span className="grow">
        {passing !== undefined ? t(`onTheWay.${passing}`) : state === 'fresh' ? t('fresh') : t('asleep')}
      </span>
      {passing === undefined && (
        <Button size="sm" isLoading={wake.isPending} onClick={() => wake.mutate()}>
          {state === 'fresh' ? t('start') : t('wake')}
        </Button>
      )}
    </div>
  )
}
