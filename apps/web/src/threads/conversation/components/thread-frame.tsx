import type { Thread, Turn } from '@threadbox/sdk'
import { type ReactNode, useMemo } from 'react'
import { withTurnMode } from '../../../sandboxes/sandbox/state/chip.logic.ts'
import { ThreadHeader } from './thread-header.tsx'

/** The header and the conversation. */
export function ThreadFrame(props: {
  thread: Thread | undefined
  /** The mode of the running turn. */
  turnMode: Turn['mode'] | undefined
  children: ReactNode
}) {
  const { turnMode } = props
  const thread = useMemo(
    () => props.thread && { ...props.thread, sandbox: withTurnMode(props.thread.sandbox, turnMode) },
    [props.thread, turnMode],
  )
  return (
    <>
      <ThreadHeader thread={thread} />
      <div className="split">{props.children}</div>
    </>
  )
}
