import type { ReactNode } from 'react'
import { classNames } from '../../../ui/class-names.ts'

/** The mark of a row on the thread line. */
export function Node(props: { isDot?: boolean; isLow?: boolean; children?: ReactNode }) {
  return (
    <span
      className={classNames('node', props.isDot && 'dot node--text', props.isLow && 'node--low')}
      aria-hidden="true"
    >
      {props.children}
    </span>
  )
}
