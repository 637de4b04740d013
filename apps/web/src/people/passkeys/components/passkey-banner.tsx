import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { meQuery } from '../../../page/client/session.ts'
import { Glyph } from '../../../ui/glyph.tsx'

/** Asks an owner or admin without a passkey to add one, if the installation requires it. */
export function PasskeyBanner() {
  const { t } = useTranslation('passkeys')
  const me = useQuery(meQuery(useClient()))
  if (me.data?.needsPasskey !== true) return null
  return (
    <div className="banner">
      <Glyph state="error" />
      <p className="grow">
        <span role="status">{t('needed')}</span>
      </p>
      <Link className="btn btn--sm" to="/settings/$section" params={{ section: 'you' }}>
        {t('add')}
      </Link>
    </div>
  )
}
