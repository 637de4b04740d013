import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { CopyButton } from './copy-button.tsx'

/** The address of a new link, instead of the form that created it. It is shown only once. */
export function AddressOnce(props: {
  url: string
  words: { label: string; help: string; another: string }
  note?: ReactNode
  /** Without it there is no button to create another one. */
  onAnother?: () => void
}) {
  const { url, words } = props
  const field = useRef<HTMLInputElement>(null)
  // The form that had the focus is gone.
  useEffect(() => field.current?.focus(), [])
  return (
    <div className="share-form">
      <Field label={words.label} help={words.help}>
        {(control) => (
          <Input
            {...control}
            className="mono"
            value={url}
            readOnly
            ref={field}
            onFocus={(event) => event.target.select()}
          />
        )}
      </Field>
      {props.note}
      <div className="row-line">
        <CopyButton text={url} size="md" isPrimary />
        {props.onAnother !== undefined && (
          <Button size="md" onClick={props.onAnother}>
            {words.another}
          </Button>
        )}
      </div>
    </div>
  )
}
