import { Switch as Radix } from 'radix-ui'
import { classNames } from './class-names.ts'

/** A switch that takes effect immediately. */
export function Switch(props: { isOn: boolean; onChange: (isOn: boolean) => void; label?: string; id?: string }) {
  return (
    <Radix.Root
      className={classNames('switch', props.isOn && 'is-on')}
      checked={props.isOn}
      onCheckedChange={props.onChange}
      aria-label={props.label}
      id={props.id}
    />
  )
}
