import { useNavigate } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { beginFirstMinute } from '../state/first-minute-store.ts'

/** Runs the demonstration within a minute, in a thread of its own. Needs no model. */
export function SurviveButton() {
  const { t } = useTranslation('firstMinute')
  const client = useClient()
  const navigate = useNavigate()
  const showError = useErrorToast()
  const [isBusy, setBusy] = useState(false)
  const begin = async () => {
    setBusy(true)
    try {
      const { id: threadId } = await client.threads.create({ title: t('threadTitle') })
      beginFirstMinute({ client, threadId, words: { title: t('counter'), since: t('since') } })
      await navigate({ to: '/threads/$threadId', params: { threadId } })
    } catch (error) {
      showError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="survive">
      <Button size="md" icon={<Play className="i" size={16} />} isLoading={isBusy} onClick={() => void begin()}>
        {t('button')}
      </Button>
      <p>{t('buttonText')}</p>
    </div>
  )
}
