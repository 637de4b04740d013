import { useTranslation } from 'react-i18next'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { CeremonyError } from '../state/ceremony.ts'

/** Why a passkey wasn’t used or added: what the browser said, or the server. */
export function PasskeyProblem(props: { error: unknown }) {
  const { t } = useTranslation('passkeys')
  if (!(props.error instanceof CeremonyError)) return <FormProblem error={props.error} />
  return (
    <div className="form-problem" role="alert">
      <Glyph state="error" />
      <p className="grow">{t(`failure.${props.error.failure}`)}</p>
    </div>
  )
}
