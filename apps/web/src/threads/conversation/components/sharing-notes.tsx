import type { Thread } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useAllowPersonal } from '../../../page/thread/api/thread-mutations.ts'
import { useMe } from '../../../people/auth/api/session.queries.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useForkThread } from '../api/use-fork-thread.ts'

/** Instead of the message field, for a person who can only read the thread. */
export function ReadOnlyNote({ threadId }: { threadId: string }) {
  const { t } = useTranslation('people')
  const fork = useForkThread(threadId)
  return (
    <div className="dock-note" role="note">
      <span className="grow">{t('thread.readOnly')}</span>
      <Button onClick={() => fork({})}>{t('thread.fork')}</Button>
    </div>
  )
}

/** After others could work in the thread: what is its creator’s own is off until they turn it on again. */
export function PersonalNote({ thread }: { thread: Thread }) {
  const { t } = useTranslation('people')
  const me = useMe().data
  const allow = useAllowPersonal()
  if (!thread.isPersonalOff || me === undefined || thread.creatorId !== me.id) return null
  return (
    <div className="dock-note" role="note">
      <span className="grow">{t('thread.personalOff')}</span>
      <Button onClick={() => allow(thread, () => showToast(t('thread.personalOnDone')))}>
        {t('thread.personalOn')}
      </Button>
    </div>
  )
}
