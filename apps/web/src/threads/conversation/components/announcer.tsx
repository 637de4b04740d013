import type { ThreadState } from '@threadbox/sdk'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { type Announcement, announcementOf } from '../state/announcement.logic.ts'
import { awaitedTurn } from '../state/awaited-turn.ts'

/** Announces to screen readers once how a turn ended. The conversation itself isn’t read out while it grows. */
export function Announcer(props: { state: ThreadState | null }) {
  const { t } = useTranslation('threads')
  const format = useFormat()
  const before = useRef<ThreadState | null>(null)
  const [announcement, setAnnouncement] = useState<Announcement | undefined>(undefined)
  const { state } = props
  useEffect(() => {
    const previous = before.current
    before.current = state
    if (state === null) return
    const next = announcementOf(previous, state, awaitedTurn())
    if (next !== undefined) setAnnouncement(next)
  }, [state])
  const text =
    announcement === undefined
      ? ''
      : format.sentences([
          t(`ended.${announcement.outcome}`),
          announcement.commands > 0 ? t('ended.commands', { count: announcement.commands }) : '',
          announcement.files > 0 ? t('ended.files', { count: announcement.files }) : '',
        ])
  const isFailure = announcement?.outcome === 'failed'
  return (
    <>
      <div className="sr" aria-live="polite">
        {isFailure ? '' : text}
      </div>
      <div className="sr" aria-live="assertive">
        {isFailure ? text : ''}
      </div>
    </>
  )
}
