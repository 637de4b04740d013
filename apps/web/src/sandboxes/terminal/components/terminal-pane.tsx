import type { Terminal } from '@threadbox/sdk'
import { Copy, Ellipsis, Plus } from 'lucide-react'
import { lazy, type RefObject, Suspense, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { LearnMore } from '../../../page/docs/docs-link.tsx'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuChoice, MenuItem } from '../../../ui/menu.tsx'
import { Pane } from '../../../ui/pane.tsx'
import { Resizer } from '../../../ui/resizer.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { closePane, wasPaneOpenedByUser } from '../../panes/state/pane-store.ts'
import type { PaneProps } from '../../panes/state/panes-context.ts'
import { useCloseTerminal, useOpenTerminal, useTerminals } from '../api/terminals.queries.ts'
import type { Screen } from '../state/screen.ts'
import { useScreenReader } from '../state/screen-reader.ts'
import { useChosenTerminal } from '../state/terminal-store.ts'
import { afterClosing, chosenTerminal } from '../state/terminal-view.logic.ts'
import { RenameTerminal } from './rename-terminal.tsx'
import { TerminalTabs } from './terminal-tabs.tsx'

/** The font has to be loaded before its characters are measured. */
const TerminalScreen = lazy(async () => {
  const font = document.fonts.load('12.5px "JetBrains Mono var"').catch(() => [])
  const [module] = await Promise.all([import('./terminal-screen.tsx'), font])
  return { default: module.TerminalScreen }
})

/** Shells in a thread’s sandbox, live beside its conversation. */
export function TerminalPane(props: PaneProps) {
  const { t } = useTranslation('terminal')
  const { threadId, isSheet } = props
  const query = useTerminals(threadId)
  const [remembered, choose] = useChosenTerminal(threadId)
  const [takesFocus, setTakesFocus] = useState(false)
  const [isScreenReader] = useScreenReader()
  const panelId = useId()
  const screen = useRef<Screen | null>(null)
  const terminals = query.data?.terminals ?? []
  const chosen = chosenTerminal(terminals, remembered)
  const opening = useOpenTerminal(threadId, (id) => {
    setTakesFocus(true)
    choose(id)
  })
  const show = (id: string, { isAsked }: { isAsked: boolean }) => {
    setTakesFocus(isAsked)
    choose(id)
    if (isAsked && id === chosen?.id) screen.current?.focus()
  }
  const head = { threadId, terminals, screen, choose }
  return (
    <Pane
      title={t('title')}
      className="term-pane"
      isSheet={isSheet}
      isFilled
      takesFocus={wasPaneOpenedByUser()}
      closeLabel={t('closePane')}
      onClose={closePane}
      resizer={<Resizer label={t('resize')} width={props.width} minimum={400} onChange={props.onWidth} />}
      actions={chosen !== null && <PaneActions {...head} chosen={chosen} />}
      {...(chosen === null
        ? {}
        : {
            lead: (
              <>
                <TerminalTabs
                  terminals={terminals}
                  chosen={chosen}
                  isSheet={isSheet}
                  panelId={panelId}
                  onChoose={show}
                />
                <IconButton label={t('open')} onClick={() => opening.mutate(null)} isLoading={opening.isPending}>
                  <Plus className="i" size={16} />
                </IconButton>
              </>
            ),
          })}
    >
      {chosen === null ? (
        <NoTerminal query={query} isOpening={opening.isPending} onOpen={() => opening.mutate(null)} />
      ) : (
        <Suspense fallback={<Skeleton rows={3} label={t('loading')} />}>
          <TerminalScreen
            key={chosen.id}
            threadId={threadId}
            terminal={chosen}
            isSheet={isSheet}
            isScreenReader={isScreenReader}
            panelId={panelId}
            screen={screen}
            takesFocus={takesFocus}
            onReplace={() => opening.mutate(chosen.id)}
            isOpening={opening.isPending}
          />
        </Suspense>
      )}
    </Pane>
  )
}

function PaneActions(props: {
  threadId: string
  terminals: readonly Terminal[]
  chosen: Terminal
  screen: RefObject<Screen | null>
  choose: (id: string | null) => void
}) {
  const { t } = useTranslation('terminal')
  const [isScreenReader, setScreenReader] = useScreenReader()
  const closing = useCloseTerminal(props.threadId)
  const [isRenaming, setRenaming] = useState(false)
  const { chosen, screen } = props
  return (
    <>
      <span className="term-shared not-m" title={t('sharedText')}>
        {t('shared')}
      </span>
      <IconButton label={t('copy')} shortcut="Ctrl Shift C" onClick={() => screen.current?.copySelection()}>
        <Copy className="i" size={16} />
      </IconButton>
      <Menu
        align="end"
        label={t('more')}
        trigger={
          <IconButton label={t('more')}>
            <Ellipsis className="i" size={16} />
          </IconButton>
        }
      >
        <MenuChoice isChosen={isScreenReader} onSelect={() => setScreenReader(!isScreenReader)}>
          {t('screenReader')}
        </MenuChoice>
        {/* The menu restores the focus when it closes, and the dialog takes it after that. */}
        <MenuItem onSelect={() => setTimeout(() => setRenaming(true))}>{t('rename')}</MenuItem>
        <MenuItem
          isDanger
          onSelect={() => {
            props.choose(afterClosing(props.terminals, chosen.id))
            closing.mutate(chosen.id)
          }}
        >
          {t('close')}
        </MenuItem>
      </Menu>
      {isRenaming && <RenameTerminal threadId={props.threadId} terminal={chosen} onClose={() => setRenaming(false)} />}
    </>
  )
}

function NoTerminal(props: { query: ReturnType<typeof useTerminals>; isOpening: boolean; onOpen: () => void }) {
  const { t } = useTranslation('terminal')
  const { query } = props
  if (query.data === undefined && query.isError) {
    return (
      <div className="sec">
        <LoadFailed
          error={query.error}
          title={t('notRead')}
          isRetrying={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      </div>
    )
  }
  if (query.data === undefined) {
    return (
      <div className="sec">
        <Skeleton rows={3} label={t('loading')} />
      </div>
    )
  }
  return (
    <div className="pane-empty">
      <b>{t('empty')}</b>
      <p>
        {t('emptyText')} <LearnMore to={docsPlaces.terminals} />
      </p>
      <p>
        <Button variant="primary" onClick={props.onOpen} isLoading={props.isOpening}>
          {t('open')}
        </Button>
      </p>
    </div>
  )
}
