import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

export function Input(props: ComponentProps<'input'>) {
  return <input {...props} className={classNames('input', props.className)} />
}

export function TextArea(props: ComponentProps<'textarea'>) {
  return <textarea {...props} className={classNames('input', props.className)} />
}
