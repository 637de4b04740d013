import { ArrowDown } from 'lucide-react'
import { type ReactNode, type Ref, useEffect, useImperativeHandle, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import type { Row } from '../state/rows.logic.ts'
import { useStick } from '../state/use-stick.ts'
import { RowView } from './row-view.tsx'

export type MessageListHandle = { toEnd: () => void }

/**
 * The conversation: follows its end while the reader does, fetches older pages above, and shows that there are new
 * messages.
 */
export function MessageList(props: {
  ref?: Ref<MessageListHandle>
  rows: readonly Row[]
  hasOlder: boolean
  isLoadingOlder: boolean
  onOlder: () => void
  /** The entry of a search hit. */
  focusEntryId: string | undefined
  children?: ReactNode
}) {
  const { t } = useTranslation('threads')
  const { rows, hasOlder, onOlder } = props
  const cards = useMemo(() => rows.filter((row) => row.kind === 'call' || row.kind === 'files').length, [rows])
  const stick = useStick({ newest: cards, oldestKey: rows[0]?.key })
  const { scroller, content, toEnd } = stick
  const top = useRef<HTMLDivElement>(null)
  useImperativeHandle(props.ref, () => ({ toEnd }), [toEnd])

  useEffect(() => {
    const mark = top.current
    if (mark === null || !hasOlder) return
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && onOlder(), {
      root: scroller.current,
      rootMargin: '600px 0px 0px 0px',
    })
    observer.observe(mark)
    return () => observer.disconnect()
  }, [hasOlder, onOlder, scroller])

  useFocusEntry({ entryId: props.focusEntryId, rows, hasOlder, onOlder, content })

  return (
    <div className="scroll-box" data-region="chat">
      <div className="scroll" ref={scroller} tabIndex={-1}>
        <div className="stream" ref={content} role="log" aria-live="off" aria-label={t('messages')}>
          <div ref={top} />
          {props.isLoadingOlder && <Skeleton rows={2} label={t('loadingOlder')} />}
          {rows.map((row) => (
            <RowView key={row.key} row={row} />
          ))}
          {props.children}
        </div>
      </div>
      {!stick.isFollowing && (
        <Button size="sm" className="latest" icon={<ArrowDown className="i" size={14} />} onClick={toEnd}>
          {stick.missed > 0 ? t('latestCount', { count: stick.missed }) : t('latest')}
        </Button>
      )}
    </div>
  )
}

/** Scrolls the entry of a search hit into view, and fetches older pages until it is loaded. */
function useFocusEntry(options: {
  entryId: string | undefined
  rows: readonly Row[]
  hasOlder: boolean
  onOlder: () => void
  content: { current: HTMLDivElement | null }
}): void {
  const { entryId, rows, hasOlder, onOlder, content } = options
  const shown = useRef<string | undefined>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: searched again whenever rows are added
  useEffect(() => {
    if (entryId === undefined || shown.current === entryId) return
    const element = content.current?.querySelector(`[data-entry="${CSS.escape(entryId)}"]`)
    if (element instanceof HTMLElement) {
      shown.current = entryId
      element.scrollIntoView({ block: 'center' })
      element.classList.add('is-found')
    } else if (hasOlder) {
      onOlder()
    }
  }, [entryId, rows, hasOlder, onOlder, content])
}
