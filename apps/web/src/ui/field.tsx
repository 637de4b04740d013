import { type ReactNode, useId } from 'react'

export type FieldControl = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }

/** A labeled control with help below it, or the error instead of the help. */
export function Field(props: {
  label: string
  help?: ReactNode
  error?: string | undefined
  /** Gets the attributes that connect the control to its label, help and error. */
  children: (control: FieldControl) => ReactNode
}) {
  const id = useId()
  const textId = `${id}-text`
  const hasText = props.error !== undefined || props.help !== undefined
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      {props.children({
        id,
        'aria-describedby': hasText ? textId : undefined,
        'aria-invalid': props.error === undefined ? undefined : true,
      })}
      {props.error !== undefined ? (
        <p className="help help--error" id={textId} role="alert">
          {props.error}
        </p>
      ) : (
        props.help !== undefined && (
          <p className="help" id={textId}>
            {props.help}
          </p>
        )
      )}
    </div>
  )
}
