import { Check } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { checkPassword, passwordBounds } from '../state/password-rules.ts'

/** The only password rule, with the measured value: the length. */
export function PasswordMeasure(props: { password: string }) {
  const { t } = useTranslation('auth')
  const { characters, problem } = checkPassword(props.password)
  return (
    <span className="row-flex measure">
      {problem === null && <Check className="i okc" size={14} aria-hidden="true" />}
      {problem === 'too-long'
        ? t('setup.passwordTooLong', passwordBounds)
        : t('setup.passwordRule', { count: characters, ...passwordBounds })}
    </span>
  )
}
