import type { PossibleSecret, Secret } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useGrantSecret } from '../api/secrets.queries.ts'
import { foundSecretOf } from '../state/found-secret.logic.ts'
import { grantLater } from '../state/secrets-to-grant.ts'
import { SecretDialog } from './secret-dialog.tsx'

/** What looked like secrets, in the message or in a file of it. */
export type FoundSecrets = { secrets: readonly PossibleSecret[]; fileName: string | null }

/** Asks before a message with something that looks like a key is sent. */
export function FoundSecretsDialog(props: {
  /** `new` for a thread that doesn’t exist yet. */
  threadId: string
  found: FoundSecrets
  /** The first of them is now this secret. */
  onMoved: (value: string, secret: Secret) => void
  onSendAnyway: () => void
  onClose: () => void
}) {
  const { t } = useTranslation(['secrets', 'common'])
  const { threadId, found } = props
  const [isMoving, setMoving] = useState(false)
  const grant = useGrantSecret(threadId)
  const showError = useErrorToast()
  const [first] = found.secrets
  const saved = (secret: Secret) => {
    if (first === undefined) return
    if (threadId === 'new') grantLater(secret.id)
    else grant.mutate({ secretId: secret.id, way: 'brokered' }, { onError: showError })
    showToast(found.fileName === null ? t('found.moved', { name: secret.name }) : t('found.movedFile'))
    props.onMoved(first.text, secret)
  }
  if (isMoving && first !== undefined) {
    return <SecretDialog saved={null} found={foundSecretOf(first)} onSaved={saved} onClose={props.onClose} />
  }
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && props.onClose()}
      title={t('found.title')}
      description={
        found.fileName === null
          ? t('found.text', { count: found.secrets.length })
          : t('found.file', { name: found.fileName })
      }
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('found.back')} onCancel={props.onClose}>
          <Button size="md" onClick={props.onSendAnyway}>
            {t('found.sendAnyway')}
          </Button>
          <Button size="md" variant="primary" onClick={() => setMoving(true)}>
            {t('found.move')}
          </Button>
        </DialogActions>
      }
    />
  )
}
