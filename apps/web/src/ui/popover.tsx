import { Popover as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** A small panel that opens from its trigger and closes on Esc or a click beside it. */
export function Popover(props: { trigger: ReactNode; label: string; children: ReactNode; align?: 'start' | 'end' }) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{props.trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="popover"
          aria-label={props.label}
          align={props.align ?? 'start'}
          sideOffset={6}
          collisionPadding={8}
        >
          {props.children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
