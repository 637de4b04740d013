import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { useClient } from '../../../page/client/client.ts'
import { cookieCount } from '../../../page/client/cookie-count.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Glyph } from '../../../ui/glyph.tsx'
import { showToast } from '../../../ui/toast.tsx'

/** Offers to remove the cookies that pages of previews left, which every request carries. */
export function CookiesBanner() {
  const { t } = useTranslation('auth')
  const client = useClient()
  const count = useStore(cookieCount, (state) => state.count)
  const showError = useErrorToast()
  const clear = useMutation({
    mutationFn: async () => {
      const { restoreToken } = await client.account.clearCookies()
      await client.account.restoreCookies({ token: restoreToken })
      await client.account.me()
    },
    onSuccess: () => {
      if (cookieCount.getState().count === null) showToast(t('cookies.cleared'))
    },
    onError: showError,
  })
  if (count === null) return null
  return (
    <div className="banner">
      <Glyph state="error" />
      <p className="grow">
        <span role="status">
          <b>{t('cookies.found', { count })}</b> {t(clear.isSuccess ? 'cookies.notCleared' : 'cookies.effect')}
        </span>
      </p>
      <Button size="sm" onClick={() => clear.mutate()} isDisabled={clear.isPending}>
        {t(clear.isPending ? 'cookies.clearing' : 'cookies.clear')}
      </Button>
    </div>
  )
}
