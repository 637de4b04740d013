import type { Service } from '@threadbox/sdk'
import { ChevronDown, ChevronUp, MessageSquarePlus } from 'lucide-react'
import { useLayoutEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../app/use-format.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { AnsiText } from '../../cards/components/ansi-text.tsx'
import type { useServiceLogs } from '../api/services.queries.ts'
import { excerptOf, type summaryOf } from '../state/logs.models.ts'

/** What a service prints: its last line while closed, its end while open. */
export function LogsDrawer(props: {
  service: Service
  logs: ReturnType<typeof useServiceLogs>
  summary: ReturnType<typeof summaryOf>
  isOpen: boolean
  onToggle: () => void
  onToChat: (excerpt: string) => void
}) {
  const { t } = useTranslation('preview')
  const { isOpen, logs, summary } = props
  const box = useRef<HTMLElement>(null)
  const text = logs.data?.text ?? ''
  const send = () => props.onToChat(excerptOf(text, selectionIn(box.current)))
  return (
    <section className="logs" aria-label={t('logs')}>
      {isOpen && <LogText ref={box} service={props.service} logs={logs} />}
      <div className="drawer">
        <IconButton
          size="sm"
          label={isOpen ? t('closeLogs') : t('openLogs')}
          aria-expanded={isOpen}
          onClick={props.onToggle}
        >
          {isOpen ? <ChevronDown className="i" size={14} /> : <ChevronUp className="i" size={14} />}
        </IconButton>
        <b>{t('logs')}</b>
        {summary.errors > 0 && (
          <span className="badge badge--err num" title={t('errorsTitle')}>
            {t('errors', { count: summary.errors })}
          </span>
        )}
        <span className="last trunc grow">{isOpen ? '' : summary.lastLine}</span>
        <Button
          size="sm"
          icon={<MessageSquarePlus className="i" size={14} />}
          isDisabled={text.trim() === ''}
          onClick={send}
        >
          {t('toChat')}
        </Button>
      </div>
    </section>
  )
}

function LogText(props: {
  ref: React.RefObject<HTMLElement | null>
  service: Service
  logs: ReturnType<typeof useServiceLogs>
}) {
  const { t } = useTranslation('preview')
  const format = useFormat()
  const { logs, service, ref } = props
  const text = logs.data?.text ?? ''
  const shown = useMemo(() => <AnsiText>{text}</AnsiText>, [text])
  useFollowEnd(ref, text)
  const isCut = logs.data !== undefined && logs.data.offset > 0
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: focus is what lets the keyboard scroll it
    <section className="log-text" ref={ref} tabIndex={0} aria-label={t('logOf', { name: service.name })}>
      {isCut && <p className="faint">{t('logCut', { size: format.bytes(logs.data.sizeBytes) })}</p>}
      {text === '' && <p className="faint">{emptyText()}</p>}
      {shown}
    </section>
  )

  function emptyText(): string {
    if (logs.isError) return t('logFailed')
    if (logs.data !== undefined) return t('noLog')
    return service.status === 'suspended' ? t('logAsleep') : t('loading')
  }
}

/** Stays at the end while the reader is there; whoever scrolled up is left alone. */
function useFollowEnd(ref: React.RefObject<HTMLElement | null>, text: string): void {
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    const element = ref.current
    if (element === null) return
    const onScroll = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 40
    }
    element.addEventListener('scroll', onScroll)
    return () => element.removeEventListener('scroll', onScroll)
  }, [ref])
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever there is more
  useLayoutEffect(() => {
    if (isAtEnd.current && ref.current !== null) ref.current.scrollTop = ref.current.scrollHeight
  }, [text])
}

function selectionIn(element: HTMLElement | null): string {
  const selection = getSelection()
  if (element === null || selection === null || !element.contains(selection.anchorNode)) return ''
  return selection.toString()
}
