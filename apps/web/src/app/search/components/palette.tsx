import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SearchHit } from '@threadbox/sdk'
import { Command } from 'cmdk'
import { Search } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { closeLayer, useLayer } from '../../../page/client/layers.ts'
import { threadsQuery } from '../../../page/thread/api/thread-queries.ts'
import type { PaletteAction } from '../../../page/thread/state/thread-actions.ts'
import { useThreadActions } from '../../../page/thread/state/thread-actions.ts'
import { Glyph } from '../../../ui/glyph.tsx'
import { Kbd } from '../../../ui/kbd.tsx'
import { useFocusReturn } from '../../../ui/use-focus-return.ts'
import { shortestQuery, useSearch } from '../api/search.queries.ts'
import { useAppActions } from '../state/app-actions.ts'
import { type PaletteContent, paletteContent } from '../state/palette.logic.ts'
import { useSettled } from '../state/use-settled.ts'
import { PaletteGroups } from './palette-groups.tsx'

/** The server is asked once per pause in typing of at least this length. */
const typingPauseMs = 150

/** The command palette: actions, threads, and search in their content. Shown while it is the open layer. */
export function Palette() {
  const { t } = useTranslation('search')
  const isOpen = useLayer('palette') !== null
  const close = () => closeLayer('palette')
  const returnFocus = useFocusReturn(isOpen)
  return (
    <Radix.Root open={isOpen} onOpenChange={(next) => !next && close()}>
      <Radix.Portal>
        <Radix.Overlay className="scrim scrim--top">
          <Radix.Content className="dialog palette" aria-describedby={undefined} onCloseAutoFocus={returnFocus}>
            <Radix.Title className="sr">{t('label')}</Radix.Title>
            <PaletteBody onClose={close} />
          </Radix.Content>
        </Radix.Overlay>
      </Radix.Portal>
    </Radix.Root>
  )
}

function PaletteBody(props: { onClose: () => void }) {
  const { t } = useTranslation('search')
  const [text, setText] = useState('')
  const query = text.trim()
  const { content, search } = usePaletteContent(query)
  const navigate = useNavigate()
  const open = (threadId: string, entryId?: string) => {
    props.onClose()
    void navigate({
      to: '/threads/$threadId',
      params: { threadId },
      search: entryId === undefined ? {} : { entry: entryId },
    })
  }
  const run = (action: PaletteAction) => {
    props.onClose()
    action.run()
  }
  return (
    <Command label={t('label')} shouldFilter={false} loop>
      <div className="pin">
        {search.isFetching ? <Glyph state="waking" /> : <Search className="i" size={16} aria-hidden="true" />}
        <Command.Input value={text} onValueChange={setText} placeholder={t('placeholder')} autoFocus />
      </div>
      <Command.List className="pl" label={t('label')}>
        <PaletteGroups
          content={content}
          query={query}
          onRun={run}
          onThread={(thread) => open(thread.id)}
          onHit={(hit: SearchHit) => open(hit.threadId, hit.entryId ?? undefined)}
        />
        <PaletteNote
          query={query}
          isEmpty={isEmpty(content)}
          isFetching={search.isFetching}
          hasFailed={search.isError}
        />
      </Command.List>
      <PaletteFoot />
    </Command>
  )
}

function usePaletteContent(query: string) {
  const settled = useSettled(query, typingPauseMs)
  const search = useSearch(settled)
  const threads = useQuery(threadsQuery(useClient()))
  const appActions = useAppActions()
  const threadActions = useThreadActions()
  const given = {
    actions: [...threadActions.map((action) => ({ ...action, scope: 'thread' as const })), ...appActions],
    threads: threads.data ?? [],
    hits: query.length >= shortestQuery ? (search.data ?? []) : [],
  }
  const content = paletteContent(query, given)
  return { content, search: { isFetching: search.isFetching || settled !== query, isError: search.isError } }
}

function isEmpty(content: PaletteContent): boolean {
  const { threadActions, actions, threads, hits } = content
  return threadActions.length + actions.length + threads.length + hits.length === 0
}

/** The line below the results: nothing found, search failed, or why only titles were searched. */
function PaletteNote(props: { query: string; isEmpty: boolean; isFetching: boolean; hasFailed: boolean }) {
  const { t } = useTranslation('search')
  const { query } = props
  if (query === '') return null
  if (props.hasFailed) return <p className="palette-note bad">{t('failed')}</p>
  if (query.length < shortestQuery) return <p className="palette-note">{t('tooShort')}</p>
  if (!props.isEmpty) return null
  if (props.isFetching) return <p className="palette-note">{t('searching')}</p>
  return (
    <p className="palette-note" role="status">
      <b>{t('nothing', { query })}</b> {t('nothingHint')}
    </p>
  )
}

const footKeys = { move: ['↑', '↓'], open: ['↵'], close: ['Esc'] } as const

function PaletteFoot() {
  const { t } = useTranslation('search')
  return (
    <div className="pfoot" aria-hidden="true">
      {(Object.keys(footKeys) as (keyof typeof footKeys)[]).map((name) => (
        <span key={name}>
          {footKeys[name].map((key) => (
            <Kbd key={key}>{key}</Kbd>
          ))}
          {t(`foot.${name}`)}
        </span>
      ))}
    </div>
  )
}
