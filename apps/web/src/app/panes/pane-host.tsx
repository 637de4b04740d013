import type { usePaneWidth } from '../../sandboxes/panes/state/pane-width.ts'
import type { Pane } from '../../sandboxes/panes/state/panes-context.ts'
import type { ShownPane } from '../../sandboxes/panes/state/use-shown-pane.ts'

/** Renders the pane beside the page. It outlives the page, so that a pinned pane persists across navigation. */
export function PaneHost(props: {
  panes: readonly Pane[]
  shown: ShownPane
  isSheet: boolean
  width: ReturnType<typeof usePaneWidth>
}) {
  const { threadId, pane, isPinned } = props.shown
  const [width, setWidth] = props.width
  const Content = props.panes.find(({ name }) => name === pane)?.Content
  if (Content === undefined) return null
  return (
    <Content
      key={`${pane} ${threadId}`}
      threadId={threadId}
      isSheet={props.isSheet}
      isPinned={isPinned}
      width={width}
      onWidth={setWidth}
    />
  )
}
