import { Eye, EyeOff } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from '../../ui/field.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Input } from '../../ui/input.tsx'

/** A field for passwords and keys, which can be shown while they are typed. */
export function PasswordField(props: {
  label: string
  value: string
  onChange: (value: string) => void
  autoComplete: 'current-password' | 'new-password' | 'off'
  help?: ReactNode
  error?: string | undefined
}) {
  const { t } = useTranslation('auth')
  const [isShown, setShown] = useState(false)
  return (
    <Field label={props.label} help={props.help} error={props.error}>
      {(control) => (
        <div className="secret">
          <Input
            {...control}
            type={isShown ? 'text' : 'password'}
            value={props.value}
            onChange={(event) => props.onChange(event.target.value)}
            autoComplete={props.autoComplete}
            autoCapitalize="none"
            spellCheck={false}
          />
          <IconButton
            label={isShown ? t('secret.hide', { label: props.label }) : t('secret.show', { label: props.label })}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? <EyeOff className="i" size={16} /> : <Eye className="i" size={16} />}
          </IconButton>
        </div>
      )}
    </Field>
  )
}
