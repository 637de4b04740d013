import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Kbd } from './kbd.tsx'

/** Shows a short text beside its child on hover and focus. The child has to accept a ref. */
export function Tooltip(props: {
  label: string
  shortcut?: string | undefined
  side?: 'top' | 'bottom' | 'left' | 'right'
  children: ReactNode
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{props.children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tooltip" sideOffset={6} collisionPadding={8} side={props.side ?? 'top'}>
          {props.label}
          {props.shortcut !== undefined && <Kbd>{props.shortcut}</Kbd>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export function TooltipProvider(props: { children: ReactNode }) {
  return <Radix.Provider delayDuration={400}>{props.children}</Radix.Provider>
}
