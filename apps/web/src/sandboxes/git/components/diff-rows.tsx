import { type CSSProperties, useMemo, useRef } from 'react'
import { diffLinesOf } from '../../../page/content/state/diff.logic.ts'
import { classNames } from '../../../ui/class-names.ts'
import { useScroll } from '../../../ui/use-scroll.ts'
import { windowOf } from '../../files/state/tree.logic.ts'
import { columnsOf, shownLine } from '../state/git-view.logic.ts'

const rowHeight = 20

/** The lines of a diff. Only those in view are rendered. */
export function DiffRows(props: { diff: string; label: string }) {
  const scroll = useRef<HTMLElement>(null)
  const view = useScroll(scroll)
  const lines = useMemo(
    () => diffLinesOf(props.diff).map((line) => ({ ...line, text: shownLine(line.text) })),
    [props.diff],
  )
  const columns = useMemo(() => lines.reduce((most, { text }) => Math.max(most, columnsOf(text)), 0), [lines])
  const { from, to } = windowOf({ ...view, rowHeight, count: lines.length })
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: focus is what lets the keyboard scroll it
    <section ref={scroll} className="viewer-b git-diff" aria-label={props.label} tabIndex={0}>
      <div className="git-lines" style={{ height: lines.length * rowHeight, '--columns': columns } as CSSProperties}>
        {lines.slice(from, to).map((line, offset) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place
            key={from + offset}
            className={classNames('dl', `dl--${line.kind}`)}
            style={{ top: (from + offset) * rowHeight }}
          >
            <span className="no">{line.newNumber ?? line.oldNumber ?? ''}</span>
            <span className="sign">{line.kind === 'added' ? '+' : line.kind === 'removed' ? '−' : ''}</span>
            <span className="tx">{line.kind === 'hunk' ? `⋯ ${line.text}` : line.text}</span>
          </div>
        ))}
      </div>
    </section>
  )
}
