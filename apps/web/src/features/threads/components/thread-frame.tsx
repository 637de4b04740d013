import type { Thread, Turn } from '@threadbox/sdk'
import { type CSSProperties, type ReactNode, useMemo } from 'react'
import { useUiState } from '../../../app/ui-state.ts'
import { useNarrow } from '../../../app/use-narrow.ts'
import { SandboxPane } from '../../sandbox/components/sandbox-pane.tsx'
import { withTurnMode } from '../../sandbox/state/chip.models.ts'
import { usePaneWidth } from '../../sandbox/state/pane-width.ts'
import { ThreadHeader } from './thread-header.tsx'

/** The header, the conversation, and what stands beside it; on a phone a pane covers both. */
export function ThreadFrame(props: {
  thread: Thread | undefined
  isTurnRunning: boolean
  /** Of the turn that is running now. */
  turnMode: Turn['mode'] | undefined
  children: ReactNode
}) {
  const { turnMode } = props
  const thread = useMemo(
    () => props.thread && { ...props.thread, sandbox: withTurnMode(props.thread.sandbox, turnMode) },
    [props.thread, turnMode],
  )
  const { pane } = useUiState()
  const isNarrow = useNarrow()
  const [width, setWidth] = usePaneWidth()
  const isOpen = thread !== undefined && pane !== null
  const isSheet = isOpen && isNarrow
  const style = width === null || isNarrow ? undefined : { '--pane-w': `clamp(400px, ${width}px, 70%)` }
  return (
    <>
      <div className="under-sheet" inert={isSheet}>
        <ThreadHeader thread={thread} />
      </div>
      <div className="split" style={style as CSSProperties | undefined}>
        <div className="split-main" inert={isSheet}>
          {props.children}
        </div>
        {isOpen && (
          <SandboxPane
            thread={thread}
            isTurnRunning={props.isTurnRunning}
            isSheet={isSheet}
            width={width}
            onWidth={setWidth}
          />
        )}
      </div>
    </>
  )
}
