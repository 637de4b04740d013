import { useMemo } from 'react'
import { classNames } from '../../../ui/class-names.ts'
import { ansiSpans } from '../state/ansi.logic.ts'

/** Output of a command, in its colors. */
export function AnsiText(props: { children: string }) {
  const spans = useMemo(() => ansiSpans(props.children), [props.children])
  return spans.map((span, index) => {
    const className = classNames(
      span.color !== null && `ansi-${span.color}`,
      span.isBold && 'ansi-bold',
      span.isDim && 'ansi-dim',
    )
    if (className === '') return span.text
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: spans have no identity but their place
      <span key={index} className={className}>
        {span.text}
      </span>
    )
  })
}
