import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'

/** A control to select one of a few values. */
export function Select<Value extends string>(props: {
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
  label?: string
  id?: string
  isDisabled?: boolean
}) {
  return (
    <Radix.Root
      value={props.value}
      onValueChange={(value) => props.onChange(value as Value)}
      disabled={props.isDisabled ?? false}
    >
      <Radix.Trigger className="input select" aria-label={props.label} id={props.id}>
        <Radix.Value />
        <Radix.Icon>
          <ChevronDown className="i" size={14} />
        </Radix.Icon>
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="menu" position="popper" sideOffset={4} collisionPadding={8}>
          <Radix.Viewport>
            {props.options.map((option) => (
              <Radix.Item key={option.value} value={option.value} className="menu-item">
                <Radix.ItemText>{option.label}</Radix.ItemText>
                <Radix.ItemIndicator className="end">
                  <Check className="i" size={14} />
                </Radix.ItemIndicator>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
