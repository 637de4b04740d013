import { DropdownMenu as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

/** A menu that opens from its trigger. */
export function Menu(props: {
  trigger: ReactNode
  children: ReactNode
  align?: 'start' | 'center' | 'end'
  side?: 'top' | 'bottom'
  label?: string
}) {
  return (
    <Radix.Root modal={false}>
      <Radix.Trigger asChild>{props.trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="menu"
          align={props.align ?? 'start'}
          side={props.side ?? 'bottom'}
          sideOffset={4}
          collisionPadding={8}
          aria-label={props.label}
        >
          {props.children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export function MenuItem(props: {
  icon?: ReactNode
  end?: ReactNode
  isDanger?: boolean
  isDisabled?: boolean
  onSelect: () => void
  children: ReactNode
}) {
  return (
    <Radix.Item
      className={classNames('menu-item', props.isDanger && 'menu-item--danger')}
      disabled={props.isDisabled ?? false}
      onSelect={props.onSelect}
    >
      {props.icon}
      <span className="grow trunc">{props.children}</span>
      {props.end !== undefined && <span className="end">{props.end}</span>}
    </Radix.Item>
  )
}

/** One of several choices: the selected one has a mark. */
export function MenuChoice(props: { isChosen: boolean; end?: ReactNode; onSelect: () => void; children: ReactNode }) {
  return (
    <Radix.CheckboxItem className="menu-item menu-item--choice" checked={props.isChosen} onSelect={props.onSelect}>
      <span className="grow trunc">{props.children}</span>
      {props.end !== undefined && <span className="end">{props.end}</span>}
    </Radix.CheckboxItem>
  )
}

export function MenuLabel(props: { children: ReactNode }) {
  return <Radix.Label className="menu-label">{props.children}</Radix.Label>
}

export function MenuSeparator() {
  return <Radix.Separator className="menu-sep" />
}
