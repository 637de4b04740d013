import { type Preview, ThreadboxError } from '@threadbox/sdk'
import { useTranslation } from 'react-i18next'
import { isForeign } from './frame.logic.ts'

/** Returns why a preview cannot be shown here, or null. Only the browser can find `preview.same-origin`. */
export function useRefusal(): (preview: Preview) => ThreadboxError | null {
  const { t } = useTranslation('preview')
  return (preview) => {
    const details = { address: preview.appOrigin, port: location.port }
    if (preview.unavailable !== null)
      return new ThreadboxError({ kind: 'unsupported', ...preview.unavailable, details })
    if (isForeign(preview, location.origin)) return null
    return new ThreadboxError({
      code: 'preview.same-origin',
      kind: 'unsupported',
      message: t('sameOrigin.message'),
      remedy: t('sameOrigin.remedy'),
    })
  }
}
