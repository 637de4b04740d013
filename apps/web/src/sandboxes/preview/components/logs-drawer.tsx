import type { Service } from '@threadbox/sdk'
import { ChevronDown, ChevronUp, MessageSquarePlus } from 'lucide-react'
import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { AnsiText } from '../../../page/content/components/ansi-text.tsx'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import type { useServiceLogs } from '../api/services.queries.ts'
import { consoleText, excerptOf, type summaryOf } from '../state/logs.logic.ts'
import type { PageState } from '../state/page-bridge.ts'

/** The output of a service and its page: the last line while closed, the end of either while open. */
export function LogsDrawer(props: {
  service: Service
  logs: ReturnType<typeof useServiceLogs>
  summary: ReturnType<typeof summaryOf>
  page: PageState
  isOpen: boolean
  onToggle: () => void
  onToChat: (excerpt: string) => void
  onPageToChat: (excerpt: string) => void
}) {
  const { t } = useTranslation('preview')
  const { isOpen, logs, summary, page } = props
  const [isPage, setIsPage] = useState(false)
  const box = useRef<HTMLElement>(null)
  const printed = useMemo(() => consoleText(page.lines), [page.lines])
  const text = isPage ? printed : (logs.data?.text ?? '')
  const send = () => (isPage ? props.onPageToChat : props.onToChat)(excerptOf(text, selectionIn(box.current)))
  const errors = summary.errors + page.lines.filter(({ level }) => level === 'error').length
  return (
    <section className="logs" aria-label={t('logs')}>
      {isOpen && !isPage && <LogText ref={box} service={props.service} logs={logs} />}
      {isOpen && isPage && <ConsoleText ref={box} name={props.service.name} page={page} text={printed} />}
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
        {isOpen && <Which isPage={isPage} onPage={setIsPage} />}
        {errors > 0 && (
          <span className="badge badge--err num" title={t('errorsTitle')}>
            {t('errors', { count: errors })}
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

function Which(props: { isPage: boolean; onPage: (isPage: boolean) => void }) {
  const { t } = useTranslation('preview')
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div className="seg" role="group" aria-label={t('logsOf')}>
      <button type="button" aria-pressed={!props.isPage} onClick={() => props.onPage(false)}>
        {t('serverLog')}
      </button>
      <button type="button" aria-pressed={props.isPage} onClick={() => props.onPage(true)}>
        {t('pageLog')}
      </button>
    </div>
  )
}

/** Output of the page itself to its console. */
function ConsoleText(props: { ref: React.RefObject<HTMLElement | null>; name: string; page: PageState; text: string }) {
  const { t } = useTranslation('preview')
  const { ref, page, text } = props
  useFollowEnd(ref, text)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: focus is what lets the keyboard scroll it
    <section className="log-text" ref={ref} tabIndex={0} aria-label={t('consoleOf', { name: props.name })}>
      {page.lines.length === 0 && <p className="faint">{page.path === null ? t('noBridge') : t('noConsole')}</p>}
      {page.lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names and are only added
        <div key={index} data-level={line.level}>
          {consoleText([line])}
        </div>
      ))}
      {page.dropped > 0 && <p className="faint">{t('consoleDropped', { count: page.dropped })}</p>}
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

/** Keeps the end in view until the reader scrolls up, and again after scrolling back down. */
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
