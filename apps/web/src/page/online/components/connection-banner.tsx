import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { relativeTime } from '../../../i18n/relative-time.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { useNetwork } from '../../client/browser.ts'
import { useNow } from '../../client/use-now.ts'
import { isLoopback } from '../../parts/address.ts'
import { bannerOf } from '../state/connection.logic.ts'
import { type ConnectionStore, connectionStore } from '../state/connection-store.ts'

/**
 * Shows that the server doesn’t respond, since when, and what happens next. Reconnecting is automatic; the button only
 * shortens the wait. Takes no space while the connection is fine.
 */
export function ConnectionBanner(props: { store?: ConnectionStore }) {
  const { t, i18n } = useTranslation('connection')
  const store = props.store ?? connectionStore
  const connection = useStore(store.connection)
  const hasNetwork = useNetwork()
  // A server on this device is reached without a network.
  const isBrowserOnline = hasNetwork || isLoopback(location.hostname)
  const now = useNow(connection.isOpen || connection.lostAt === null ? null : 1000)
  const banner = bannerOf(connection, { now, isBrowserOnline })
  if (banner === null) return <div className="sr" role="status" aria-live="polite" />
  const { secondsToNextAttempt, lastContactAt } = banner
  return (
    <div className="banner">
      <Glyph state={secondsToNextAttempt === null ? 'waking' : 'error'} />
      <p className="grow">
        <span role="status">
          <b>{banner.cause === 'offline' ? t('offline') : t('noAnswer')}</b> {t('kept')}
        </span>{' '}
        {lastContactAt === null
          ? null
          : t('lastContact', {
              when: relativeTime(lastContactAt, { now, locale: i18n.language, withSeconds: true }),
            })}{' '}
        <span className="num">
          {secondsToNextAttempt === null ? t('trying') : t('retryIn', { count: secondsToNextAttempt })}
        </span>
      </p>
      <Button size="sm" onClick={() => store.retryNow()} isDisabled={secondsToNextAttempt === null}>
        {t('retry')}
      </Button>
    </div>
  )
}
