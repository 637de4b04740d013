import { Link } from '@tanstack/react-router'
import type { Thread } from '@threadbox/sdk'
import { Ellipsis, FolderInput, Pencil, Pin, PinOff, Share2, Trash2 } from 'lucide-react'
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { focusMark, keepsFocus } from '../../../page/client/kept-focus.ts'
import { openLayer } from '../../../page/client/layers.ts'
import { closeDrawer } from '../../../page/client/ui-state.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { useDeleteThread, usePinThread, useRenameThread } from '../../../page/thread/api/thread-mutations.ts'
import { useMoveByKey } from '../../../people/workspaces/state/use-move-thread.ts'
import { glyphOf } from '../../../sandboxes/sandbox/state/chip.logic.ts'
import { useSandboxWords } from '../../../sandboxes/sandbox/state/sandbox-words.ts'
import { TitleInput } from '../../../threads/conversation/components/thread-title.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx'
import { dragSource } from '../state/drag.ts'

/** One thread in the sidebar: the state of its sandbox, its title, and whether it is running. */
export const ThreadItem = memo(function ThreadItem(props: { thread: Thread; now: number }) {
  const { t } = useTranslation('threads')
  const rename = useRenameThread()
  const [draft, setDraft] = useState<string | null>(null)
  const { thread, now } = props
  if (draft !== null) {
    return (
      <li className="th th--edit">
        <Glyph state={glyphOf(thread.sandbox)} />
        <TitleInput
          value={draft}
          onChange={setDraft}
          onEnd={(isKept) => {
            if (isKept && draft.trim() !== '' && draft.trim() !== thread.title) rename(thread, draft.trim())
            setDraft(null)
          }}
        />
      </li>
    )
  }
  return (
    <li className="th-row" {...(thread.allowed.includes('change') ? dragSource('thread', thread.id) : {})}>
      <ThreadLink thread={thread} now={now} onRename={() => setDraft(thread.title)} />
      <ThreadItemMenu
        thread={thread}
        title={thread.title === '' ? t('untitled') : thread.title}
        onRename={() => setDraft(thread.title)}
      />
    </li>
  )
})

function ThreadLink(props: { thread: Thread; now: number; onRename: () => void }) {
  const { t } = useTranslation(['threads', 'sandbox', 'sidebar'])
  const words = useSandboxWords()
  const format = useFormat()
  const { thread, now } = props
  const link = useRef<HTMLAnchorElement>(null)
  const moveByKey = useMoveByKey()
  useEffect(() => {
    if (keepsFocus(thread.id)) link.current?.focus()
  }, [thread.id])
  const onKeyDown = (event: KeyboardEvent) => {
    if (moveByKey(event, thread)) return
    if (event.key !== 'F2' || !thread.allowed.includes('work')) return
    event.preventDefault()
    props.onRename()
  }
  const { sandbox } = thread
  const title = thread.title === '' ? t('untitled') : thread.title
  const word = words.word(sandbox)
  const cause = words.cause(sandbox, now)
  const isAway = sandbox.state === 'paused' || sandbox.state === 'cold'
  const aside = isAway ? format.shortAge(now - sandbox.since) : sandbox.state === 'error' ? cause : undefined
  const running = thread.isTurnRunning ? t('sidebar:working') : words.running(sandbox, now)
  return (
    <Link
      ref={link}
      {...focusMark(thread.id)}
      to="/threads/$threadId"
      params={{ threadId: thread.id }}
      className={classNames('th', thread.hasUnread && 'is-unread')}
      activeProps={{ className: 'is-on', 'aria-current': 'page' }}
      title={`${title} — ${word}`}
      onClick={closeDrawer}
      onKeyDown={onKeyDown}
      draggable={false}
    >
      <Glyph state={glyphOf(sandbox)} />
      <span className="trunc">{title}</span>
      {thread.hasUnread ? (
        <span className="unread" title={t('sidebar:unread')} />
      ) : (
        aside !== undefined && <span className="w num">{aside}</span>
      )}
      {running !== undefined && <span className="run trunc">{running}</span>}
      <span className="sr">
        {format.items([t('sandbox:inWords', { state: word }), ...(thread.hasUnread ? [t('sidebar:unread')] : [])])}
      </span>
    </Link>
  )
}

function ThreadItemMenu(props: { thread: Thread; title: string; onRename: () => void }) {
  const { t } = useTranslation('threads')
  const pin = usePinThread()
  const { thread } = props
  return (
    <Menu
      align="end"
      label={t('more')}
      trigger={
        <button
          type="button"
          className="btn btn--ghost btn--sm btn--icon th-more"
          aria-label={t('moreOf', { title: props.title })}
        >
          <Ellipsis className="i" size={14} />
        </button>
      }
    >
      {thread.allowed.includes('work') && (
        <MenuItem icon={<Pencil className="i" size={14} />} end="F2" onSelect={() => setTimeout(props.onRename)}>
          {t('rename')}
        </MenuItem>
      )}
      <MenuItem
        icon={thread.isPinned ? <PinOff className="i" size={14} /> : <Pin className="i" size={14} />}
        onSelect={() => pin(thread)}
      >
        {thread.isPinned ? t('unpin') : t('pin')}
      </MenuItem>
      {thread.allowed.includes('change') && <ChangeItems thread={thread} />}
    </Menu>
  )
}

function ChangeItems({ thread }: { thread: Thread }) {
  const { t } = useTranslation(['threads', 'workspaces', 'sharing'])
  const remove = useDeleteThread()
  return (
    <>
      <MenuItem
        icon={<FolderInput className="i" size={14} />}
        onSelect={() => openLayer({ kind: 'move-thread', threadId: thread.id })}
      >
        {t('workspaces:move')}
      </MenuItem>
      <MenuItem
        icon={<Share2 className="i" size={14} />}
        onSelect={() => openLayer({ kind: 'share-thread', threadId: thread.id })}
      >
        {t('sharing:open')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem isDanger icon={<Trash2 className="i" size={14} />} onSelect={() => remove(thread)}>
        {t('delete')}
      </MenuItem>
    </>
  )
}
