import '@xterm/xterm/css/xterm.css'
import { useQueryClient } from '@tanstack/react-query'
import type { Terminal } from '@threadbox/sdk'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { socketAddress } from '../../../page/client/page-client.ts'
import { useStable } from '../../../page/client/use-stable.ts'
import { viewPort } from '../../preview/state/preview-store.ts'
import { type LinkState, newLink } from '../state/link.logic.ts'
import { linkTarget } from '../state/links.logic.ts'
import { openScreen, type Screen } from '../state/screen.ts'
import { TerminalKeys } from './terminal-keys.tsx'
import { TerminalStatus } from './terminal-status.tsx'

export type TerminalScreenProps = {
  threadId: string
  terminal: Terminal
  isSheet: boolean
  isScreenReader: boolean
  panelId: string
  /** Set while the terminal is mounted, for controls around it. */
  screen: RefObject<Screen | null>
  /** True if the user opened the terminal: it takes the focus. */
  takesFocus: boolean
  onReplace: () => void
  isOpening: boolean
}

/** One terminal, live. Loaded with the first one that is shown, because the terminal library is large. */
export function TerminalScreen(props: TerminalScreenProps) {
  const { t } = useTranslation('terminal')
  const { terminal, screen, isScreenReader } = props
  const element = useRef<HTMLDivElement>(null)
  const [link, setLink] = useState<LinkState>(newLink)
  const label = t('inputLabel', { title: terminal.title })
  useScreen({ ...props, element, label, onState: setLink })
  useEffect(() => screen.current?.setLabel(label), [screen, label])
  useEffect(() => screen.current?.setScreenReader(isScreenReader), [screen, isScreenReader])
  return (
    <div
      className="term-panel"
      role="tabpanel"
      id={props.panelId}
      aria-label={t('screenLabel', { title: terminal.title })}
    >
      <div ref={element} className="term" />
      {props.isSheet && <TerminalKeys onKey={(text) => screen.current?.type(text)} />}
      <TerminalStatus
        terminal={terminal}
        link={link}
        onWake={() => screen.current?.wake()}
        onReplace={props.onReplace}
        isOpening={props.isOpening}
      />
    </div>
  )
}

function useScreen(
  props: TerminalScreenProps & {
    element: RefObject<HTMLDivElement | null>
    label: string
    onState: (state: LinkState) => void
  },
): void {
  const client = useClient()
  const queryClient = useQueryClient()
  const { threadId, terminal, screen, element } = props
  const open = useStable((target: HTMLDivElement) =>
    openScreen({
      element: target,
      label: props.label,
      isScreenReader: props.isScreenReader,
      onState: props.onState,
      addressAfter: (offset) => socketAddress(client.terminals.socketUrl(threadId, terminal.id, offset)),
      onLink: (address) => {
        const found = linkTarget(address)
        if (found?.kind === 'web') window.open(found.url, '_blank', 'noopener,noreferrer')
        else if (found !== null) viewPort(queryClient, threadId, found)
      },
    }),
  )
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each terminal
  useEffect(() => {
    if (element.current === null) return
    const opened = open(element.current)
    screen.current = opened
    if (props.takesFocus) opened.focus()
    return () => {
      screen.current = null
      opened.dispose()
    }
  }, [open, terminal.id])
}
