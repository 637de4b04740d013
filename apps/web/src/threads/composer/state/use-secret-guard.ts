import { findPossibleSecrets, type Secret } from '@threadbox/sdk'
import { useState } from 'react'
import type { Upload } from '../../../page/thread/state/uploads-store.ts'
import type { FoundSecrets } from '../../../people/secrets/components/found-secrets-dialog.tsx'
import { withVariable } from '../../../people/secrets/state/found-secret.logic.ts'

/** Stops a message that contains something like a key, until the person has decided what to do with it. */
export function useSecretGuard(options: {
  text: string
  uploads: readonly Upload[]
  onText: (text: string) => void
  onRemoveUpload: (uploadId: string) => void
  onSend: () => void
}): {
  send: () => void
  found: FoundSecrets | null
  onClose: () => void
  onSendAnyway: () => void
  onMoved: (value: string, secret: Secret) => void
} {
  const { text, uploads, onText, onRemoveUpload, onSend } = options
  const [found, setFound] = useState<(FoundSecrets & { uploadId: string | null }) | null>(null)
  const close = () => setFound(null)
  return {
    found,
    onClose: close,
    send: () => {
      const next = findIn(text, uploads)
      if (next === null) onSend()
      else setFound(next)
    },
    onSendAnyway: () => {
      close()
      onSend()
    },
    // The message isn’t sent: the person sees what it says now.
    onMoved: (value, { name }) => {
      if (found?.uploadId == null) onText(withVariable(text, { value, name }))
      else onRemoveUpload(found.uploadId)
    },
  }
}

function findIn(text: string, uploads: readonly Upload[]) {
  const secrets = findPossibleSecrets(text)
  if (secrets.length > 0) return { secrets, fileName: null, uploadId: null }
  const upload = uploads.find(({ possibleSecrets }) => possibleSecrets.length > 0)
  if (upload === undefined) return null
  return { secrets: upload.possibleSecrets, fileName: upload.name, uploadId: upload.id }
}
