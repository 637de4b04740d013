import type { SearchHit, Thread } from '@threadbox/sdk'
import { Command } from 'cmdk'
import { CornerDownRight, FileText, MessageSquare, SquareTerminal, TextCursor } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { relativeTime } from '../../../i18n/relative-time.ts'
import type { PaletteAction } from '../../../page/thread/state/thread-actions.ts'
import { glyphOf } from '../../../sandboxes/sandbox/state/chip.logic.ts'
import { useSandboxWords } from '../../../sandboxes/sandbox/state/sandbox-words.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import type { PaletteContent } from '../state/palette.logic.ts'
import { Marked } from './marked.tsx'

const hitIcons = { title: TextCursor, text: MessageSquare, command: SquareTerminal, file: FileText } as const

/** The results of the palette, group by group. */
export function PaletteGroups(props: {
  content: PaletteContent
  query: string
  onRun: (action: PaletteAction) => void
  onThread: (thread: Thread) => void
  onHit: (hit: SearchHit) => void
}) {
  const { t } = useTranslation('search')
  const { content, query } = props
  return (
    <>
      <ActionGroup heading={t('inThread')} actions={content.threadActions} query={query} onRun={props.onRun} />
      {content.threads.length === 0 ? null : (
        <Command.Group heading={query === '' ? t('recent') : t('threads')}>
          {content.threads.map((thread) => (
            <ThreadItem key={thread.id} thread={thread} query={query} onSelect={() => props.onThread(thread)} />
          ))}
        </Command.Group>
      )}
      {content.hits.map(({ where, hits }) => (
        <Command.Group key={where} heading={t(`where.${where}`)}>
          {hits.map((hit) => (
            <HitItem key={`${hit.threadId} ${hit.entryId}`} hit={hit} query={query} onSelect={() => props.onHit(hit)} />
          ))}
        </Command.Group>
      ))}
      <ActionGroup heading={t('actions')} actions={content.actions} query={query} onRun={props.onRun} />
    </>
  )
}

function ActionGroup(props: {
  heading: string
  actions: readonly PaletteAction[]
  query: string
  onRun: (action: PaletteAction) => void
}) {
  if (props.actions.length === 0) return null
  return (
    <Command.Group heading={props.heading}>
      {props.actions.map((action) => (
        <Command.Item
          key={action.id}
          value={`action ${action.id}`}
          className="opt"
          onSelect={() => props.onRun(action)}
        >
          <CornerDownRight className="i" size={16} aria-hidden="true" />
          <span className="trunc">
            <Marked text={action.label} query={props.query} />
          </span>
          {action.shortcut === undefined ? null : (
            <span className="end">
              <Kbd>{action.shortcut}</Kbd>
            </span>
          )}
        </Command.Item>
      ))}
    </Command.Group>
  )
}

function ThreadItem(props: { thread: Thread; query: string; onSelect: () => void }) {
  const { t } = useTranslation('search')
  const words = useSandboxWords()
  const { thread } = props
  return (
    <Command.Item value={`thread ${thread.id}`} className="opt" onSelect={props.onSelect}>
      <Glyph state={glyphOf(thread.sandbox)} />
      <span className="trunc">
        <Marked text={thread.title === '' ? t('untitled') : thread.title} query={props.query} />
      </span>
      <span className="end">{words.word(thread.sandbox)}</span>
    </Command.Item>
  )
}

function HitItem(props: { hit: SearchHit; query: string; onSelect: () => void }) {
  const { i18n } = useTranslation('search')
  const { hit } = props
  const Icon = hitIcons[hit.where]
  return (
    <Command.Item value={`hit ${hit.where} ${hit.threadId} ${hit.entryId}`} className="opt" onSelect={props.onSelect}>
      <Icon className="i" size={16} aria-hidden="true" />
      <span className={hit.where === 'text' ? 'trunc' : 'trunc mono'}>
        <Marked text={hit.where === 'title' ? hit.threadTitle : hit.excerpt} query={props.query} />
      </span>
      {hit.where === 'title' ? null : <span className="ctx trunc">{hit.threadTitle}</span>}
      <span className="end">{relativeTime(hit.at, { now: Date.now(), locale: i18n.language })}</span>
    </Command.Item>
  )
}
