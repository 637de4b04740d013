import { Field } from './field.tsx'

/** A field of several lines. */
export function TextAreaField(props: {
  label: string
  help?: string
  value: string
  maxLength: number
  onValue: (value: string) => void
}) {
  return (
    <Field label={props.label} help={props.help}>
      {(control) => (
        <textarea
          {...control}
          className="input"
          rows={4}
          maxLength={props.maxLength}
          value={props.value}
          onChange={(event) => props.onValue(event.target.value)}
        />
      )}
    </Field>
  )
}
