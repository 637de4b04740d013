import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

export function Input(props: ComponentProps<'input'>) {
  return <input {...props} className={classNames('input', props.className)} />
}
