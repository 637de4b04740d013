import type { PersonPresent, Thread } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { usePeople } from '../../../people/team/api/people.queries.ts'
import { usePresence } from '../state/use-presence.ts'

/** Who else has the thread open, and who is typing. Empty, and without any request, in a thread that others don’t see. */
export function PresenceLine(props: { thread: Thread | undefined; text: string }) {
  const present = usePresence(props.thread, props.text)
  return present.length === 0 ? null : <Names present={present} />
}

function Names({ present }: { present: PersonPresent[] }) {
  const { t } = useTranslation('people')
  const format = useFormat()
  const people = usePeople().data ?? []
  const typing = present.filter(({ isTyping }) => isTyping)
  const shown = typing.length > 0 ? typing : present
  const names = shown.map(({ userId }) => people.find(({ id }) => id === userId)?.name ?? t('thread.someone'))
  const words = { names: format.items(names), count: names.length }
  return (
    <p className="presence quiet" role="status">
      {typing.length > 0 ? t('thread.typing', words) : t('thread.here', words)}
    </p>
  )
}
