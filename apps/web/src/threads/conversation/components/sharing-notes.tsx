import type { Thread } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useAllowPersonal } from '../../../page/thread/api/thread-mutations.ts'
import { hasNames } from '../../../page/thread/state/use-ask-personal.ts'
import { useMe } from '../../../people/auth/api/session.queries.ts'
import { usePersonalUses } from '../../../people/team/api/leaving.queries.ts'
import { PersonalNamesList } from '../../../people/team/components/personal-names.tsx'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useForkThread } from '../api/use-fork-thread.ts'

/** Instead of the message field, for a person who can only read the thread. */
export function ReadOnlyNote({ threadId, canFork }: { threadId: string; canFork: boolean }) {
  const { t } = useTranslation('people')
  const fork = useForkThread(threadId)
  return (
    <div className="dock-note" role="note">
      <span className="grow">{canFork ? t('thread.readOnly') : t('leaving.opening.readOnly')}</span>
      {canFork && <Button onClick={() => fork({})}>{t('thread.fork')}</Button>}
    </div>
  )
}

/** After others could work in the thread: what is its creator’s own is off until they turn it on again. */
export function PersonalNote({ thread }: { thread: Thread }) {
  const me = useMe().data
  if (!thread.isPersonalOff || me === undefined || thread.creatorId !== me.id) return null
  return <PersonalOff thread={thread} />
}

function PersonalOff({ thread }: { thread: Thread }) {
  const { t } = useTranslation('people')
  const allow = useAllowPersonal()
  const names = usePersonalUses(thread.id)
  return (
    <div className="dock-note" role="note">
      <div className="grow">
        {t('thread.personalOff')}
        {names !== undefined && hasNames(names) && <PersonalNamesList names={names} />}
      </div>
      <Button onClick={() => allow(thread, () => showToast(t('thread.personalOnDone')))}>
        {t('thread.personalOn')}
      </Button>
    </div>
  )
}
